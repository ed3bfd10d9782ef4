//! Random ids, times, values and texts of the data, so that no cache can answer every request.
//!
//! They are read from the database file with SQLite; cursors, by paging through the list.

use crate::client::{Client, get_request};
use crate::data::BenchData;
use crate::list_filter::{FilterKind, ListFilter, json_path};
use crate::random::Random;
use crate::sqlite_file::SqliteFile;
use crate::{Result, print_line};
use contract::filter::LabelProperty;
use memchr::memmem;
use std::net::SocketAddr;

/// Number of drawn ids and times.
const SAMPLES: usize = 20_000;

/// Random samples of the large form.
pub(crate) struct Samples {
    /// Random ids.
    pub(crate) ids: Vec<String>,
    /// Random submission times, in microseconds.
    pub(crate) instants: Vec<i64>,
    /// The different values of UTM source, medium and campaign, most frequent first.
    pub(crate) utm: [Vec<String>; 3],
    /// Labels of each property that has some, most frequent first.
    pub(crate) labels: Vec<(LabelProperty, Vec<String>)>,
    /// Folded search texts of some of the submissions in `ids`.
    pub(crate) texts: Vec<String>,
}

impl Samples {
    /// Draws samples from the database file. They are the same in every run.
    pub(crate) fn read(data: &BenchData, file: &SqliteFile) -> Result<Self> {
        let mut rng = Random::new(7);
        let keys = file.row_keys(&data.large)?;
        let drawn: Vec<_> = (0..SAMPLES).map(|_| rng.choose(&keys)).collect();
        let utm = |column| file.column_values(&data.large, column);
        let mut labels = Vec::new();
        for property in LabelProperty::ALL {
            let Some(path) = json_path(property) else { continue };
            let first = if property == LabelProperty::Category { "[0]" } else { "" };
            let column = format!("json_extract(json, '{path}{first}')");
            labels.push((property, file.column_values(&data.large, &column)?));
        }
        labels.retain(|(_, values)| !values.is_empty());
        Ok(Self {
            ids: drawn.iter().map(|(_, id)| id.clone()).collect(),
            instants: drawn.iter().map(|(at, _)| *at).collect(),
            utm: [utm("utm_source")?, utm("utm_medium")?, utm("utm_campaign")?],
            labels,
            texts: file.search_texts(&data.large, &drawn[..2000])?,
        })
    }

    /// Returns the share of the sampled texts that contain a folded term.
    pub(crate) fn share(&self, term: &str) -> f64 {
        let found = self.texts.iter().filter(|text| contains(text, term)).count();
        found as f64 / self.texts.len().max(1) as f64
    }
}

fn contains(text: &str, term: &str) -> bool {
    memmem::find(text.as_bytes(), term.as_bytes()).is_some()
}

/// Pages through the complete list by its cursors, and returns them. The first page has the default
/// 20 rows, the others have 100.
///
/// # Errors
/// If the pages do not add up to the total.
pub(crate) async fn read_all_pages(address: SocketAddr, data: &BenchData) -> Result<Vec<String>> {
    let mut client = Client::connect(address).await?;
    let mut cursors = Vec::new();
    let mut pages = 0_u64;
    let mut query = String::new();
    loop {
        let (status, body) = client.fetch(&get_request(&data.list_path(&query), &data.key)).await?;
        let (total, next) = parse_pagination(&body)?;
        pages += 1;
        if status != 200 || total != data.rows {
            return Err(format!("page {pages} has status {status} and total {total}").into());
        }
        let Some(next) = next else { break };
        query = format!("limit=100&cursor={next}");
        cursors.push(next);
    }
    let expected = 1 + data.rows.saturating_sub(20).div_ceil(100);
    print_line(format!("read {pages} pages, {expected} expected"));
    if pages == expected { Ok(cursors) } else { Err("the pages do not add up to the total".into()) }
}

/// Returns the total and the next cursor of a page, without parsing the rows before them.
pub(crate) fn parse_pagination(body: &[u8]) -> Result<(u64, Option<String>)> {
    let at = memmem::rfind(body, b"\"pagination\":").ok_or("a response without pagination")?;
    // After the name and its colon, up to the bracket that closes the page.
    let text = body[at + 13..].strip_suffix(b"}").unwrap_or_default();
    let pagination: serde_json::Value = serde_json::from_slice(text)?;
    let next = pagination["next_cursor"].as_str().map(str::to_owned);
    Ok((pagination["total"].as_u64().ok_or("a page without total")?, next))
}

impl ListFilter {
    /// Draws a filter of a kind, with values from `samples`.
    pub(crate) fn random(kind: FilterKind, samples: &Samples, rng: &mut Random) -> Self {
        let mut filter = Self::default();
        // Bits 0 to 2 are the UTM values, bit 3 is the dates.
        let bits = match kind {
            FilterKind::Dates => 8,
            FilterKind::OneUtm => 1 << rng.below(3),
            FilterKind::Any => 1 + rng.below(15),
            FilterKind::OneLabel | FilterKind::TwoLabels => 0,
        };
        let labels = match kind {
            FilterKind::OneLabel => 1,
            FilterKind::TwoLabels => 2,
            FilterKind::Dates | FilterKind::OneUtm | FilterKind::Any => 0,
        };
        while filter.labels.len() < labels.min(samples.labels.len()) {
            let (property, values) = rng.choose(&samples.labels);
            if filter.labels.iter().all(|(other, _)| other != property) {
                filter.labels.push((*property, rng.choose(values).clone()));
            }
        }
        for (n, values) in samples.utm.iter().enumerate() {
            if bits & 1 << n != 0 && !values.is_empty() {
                filter.utm[n] = Some(rng.choose(values).clone());
            }
        }
        if bits & 8 != 0 {
            let a = *rng.choose(&samples.instants);
            let b = *rng.choose(&samples.instants);
            filter.dates = Some((a.min(b), a.max(b)));
        }
        filter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_total_and_next_cursor() {
        let page =
            br#"{"data":[],"pagination":{"total":7,"limit":20,"has_more":true,"next_cursor":"x"}}"#;
        assert_eq!(parse_pagination(page).unwrap(), (7, Some("x".to_owned())));
        let last = br#"{"data":[],"pagination":{"total":7,"limit":20,"has_more":false,"next_cursor":null}}"#;
        assert_eq!(parse_pagination(last).unwrap(), (7, None));
        assert!(parse_pagination(b"{}").is_err());
    }
}
