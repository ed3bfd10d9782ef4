//! Results and speed of the built-in analysis. The measurements in `docs/insight.md` are from this
//! program.
//!
//! Reads one text per line from standard input. Writes one insight per line as JSON to standard
//! output, and the rate to standard error.

use analysis::prose::Prose;
use analysis::{AnalysisBatch, Analyst, BuiltIn};
use contract::{Answers, Field, FieldType};
use std::error::Error;
use std::io::{BufRead as _, Write as _, stderr, stdin, stdout};
use std::time::Instant;
use store::insight::default_categories;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let field = Field {
        id: "fld_1".parse()?,
        key: "text".to_owned(),
        name: "Text".to_owned(),
        kind: FieldType::LongText,
        hidden: false,
    };
    let mut texts = Vec::new();
    for line in stdin().lock().lines() {
        let answers: Answers = serde_json::from_value(serde_json::json!({ "text": line? }))?;
        texts.push(Prose::from_answers(&answers, std::slice::from_ref(&field)));
    }
    // Load the lexicon with the first text, so that this is not measured.
    let first = texts.iter().take(1).cloned().collect();
    BuiltIn.analyse(AnalysisBatch { categories: default_categories(), texts: first }).await;
    let started_at = Instant::now();
    let count = texts.len();
    let batch = AnalysisBatch { categories: default_categories(), texts };
    let insights = BuiltIn.analyse(batch).await;
    let took = started_at.elapsed();
    let mut out = stdout().lock();
    for insight in insights {
        let insight = insight.map_err(|error| format!("{error:?}"))?;
        serde_json::to_writer(&mut out, &insight)?;
        out.write_all(b"\n")?;
    }
    let each = took / u32::try_from(count.max(1))?;
    writeln!(stderr(), "{count} texts in {took:.2?}, {each:.2?} each")?;
    Ok(())
}
