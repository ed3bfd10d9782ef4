//! Triage: a change of 100,000 submissions in one request, and its undo.

use crate::Result;
use crate::bench::Bench;
use crate::data::{BenchData, find_word, run_sheaf};
use crate::load::median;
use crate::results::FigureRow;
use contract::Data;
use contract::trash::IDS_MAX;
use contract::triage::UpdatedSubmissions;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use store::triage::UPDATE_MAX;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// Goal: all submissions that one request may change, in seconds.
const CHANGE_S: f64 = 5.0;
const EMAIL: &str = "triage@example.com";
const PASSWORD: &str = "a walrus in winter";
/// Header of all requests of the dashboard.
const CSRF: [&str; 2] = ["-H", "x-sheaf-csrf: 1"];

/// Measures a change of all submissions of a form, and its undo. Fails if the counts are wrong.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let data = create_data(bench, &bench.scratch.join("triage")).await?;
    let server = bench.start_server(&data).await?;
    let owner = Owner::sign_in(&format!("http://{}", server.address), &data.large).await?;
    let set = json!({ "status": "done", "read": true, "add_tags": ["bench"] });
    let update = json!({ "filter": "", "count": UPDATE_MAX, "set": set, "undo": true });
    // Samples are older than the member, so they count as read.
    owner.update(&json!({ "filter": "", "count": UPDATE_MAX, "set": { "read": false } })).await?;
    let (mut changes, mut undos) = (Vec::new(), Vec::new());
    for _ in 0..bench.turns.rounds {
        let (updated, time) = owner.update(&update).await?;
        if updated.changed != UPDATE_MAX {
            return Err(format!("{} submissions changed", updated.changed).into());
        }
        changes.push(time.as_secs_f64());
        let mut undo = Duration::ZERO;
        for step in &updated.undo {
            for ids in step.ids.chunks(IDS_MAX) {
                let (_, time) = owner.update(&json!({ "ids": ids, "set": step.set })).await?;
                undo += time;
            }
        }
        undos.push(undo.as_secs_f64());
    }
    server.stop().await?;
    let (change, undo) = (median(&changes), median(&undos));
    Ok(vec![
        FigureRow::new(format!("change of {UPDATE_MAX} submissions"), format!("{change:.2} s"))
            .goal(format!("≤ {CHANGE_S} s"), change <= CHANGE_S),
        FigureRow::new(format!("undo, {IDS_MAX} submissions a request"), format!("{undo:.2} s")),
    ])
}

/// Creates an account with a password and a form.
async fn create_data(bench: &Bench, folder: &Path) -> Result<BenchData> {
    fs::create_dir_all(folder)?;
    let mut create = Command::new(&bench.sheaf);
    create.args(["account", "create", "--email", EMAIL, "--plan", "enterprise"]);
    create.arg("--password-stdin").arg("--data").arg(folder).stdout(Stdio::null());
    let mut child = create.stdin(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or("a command without input")?;
    input.write_all(PASSWORD.as_bytes()).await?;
    drop(input);
    if !child.wait().await?.success() {
        return Err("cannot create an account".into());
    }
    let run = async |arguments: &[&str]| run_sheaf(&bench.sheaf, folder, arguments).await;
    let key = run(&["key", "create", "--account", EMAIL, "--name", "bench", "--mode", "live"]);
    let key = find_word(&key.await?, "svc_sk_live_")?;
    let form = run(&["form", "create", "--account", EMAIL, "--name", "Large"]).await?;
    let large = find_word(&form, "frm_")?;
    run(&["sample", "--form", &large, "--count", &UPDATE_MAX.to_string()]).await?;
    Ok(BenchData { large, small: Vec::new(), key, rows: UPDATE_MAX, folder: folder.to_owned() })
}

/// The signed-in owner of a form.
struct Owner {
    /// URL of the submissions.
    url: String,
    /// The `Cookie` header.
    cookie: String,
}

impl Owner {
    async fn sign_in(server: &str, form: &str) -> Result<Self> {
        let body = json!({ "email": EMAIL, "password": PASSWORD }).to_string();
        let url = format!("{server}/session");
        let head = curl(&["-o", "/dev/null", "-D", "-", "-d", "@-", &url], &body).await?;
        let cookie = head.lines().find_map(|line| {
            line.to_ascii_lowercase().starts_with("set-cookie: ").then(|| &line[12..])
        });
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).ok_or("no session")?;
        let cookie = format!("Cookie: {cookie}");
        Ok(Self { url: format!("{server}/account/forms/{form}/submissions"), cookie })
    }

    /// Sends a `PATCH`, and returns its result and duration.
    async fn update(&self, body: &Value) -> Result<(UpdatedSubmissions, Duration)> {
        let since = Instant::now();
        let arguments = ["-f", "-X", "PATCH", "-H", &self.cookie, "-d", "@-", &self.url];
        let text = curl(&arguments, &body.to_string()).await?;
        let time = since.elapsed();
        Ok((serde_json::from_str::<Data<UpdatedSubmissions>>(&text)?.data, time))
    }
}

/// Sends JSON with curl, and returns its output.
async fn curl(arguments: &[&str], body: &str) -> Result<String> {
    let mut curl = Command::new("curl");
    curl.args(["-sS", "-H", "content-type: application/json"]).args(CSRF).args(arguments);
    let mut child = curl.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or("curl has no input")?;
    input.write_all(body.as_bytes()).await?;
    drop(input);
    let output = child.wait_with_output().await?;
    if !output.status.success() {
        return Err(format!("curl failed ({})", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
