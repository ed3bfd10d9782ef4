//! Dates, UTM values, and any AND of them: random ones, so that nothing kept can answer alone, and
//! the same again.

use crate::Result;
use crate::client::quoted;
use crate::dice::Dice;
use crate::duel::duel;
use crate::feed::row;
use crate::load::{drawn, same};
use crate::picks::{Picks, pagination};
use crate::results::Row;
use crate::service::Bench;
use contract::Timestamp;
use std::fmt::Write as _;

/// To reach, of a static answer of a page's bytes.
const RATIO: f64 = 0.25;
/// Different requests of each kind.
const DRAWN: usize = 5000;
/// Totals of each kind that are counted by SQLite too.
const CHECKED: usize = 10;
const CONNECTIONS: usize = 8;

/// What a request narrows the list by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Narrowed {
    /// From which instant, and before which, in microseconds.
    pub(crate) dates: Option<(i64, i64)>,
    /// UTM source, medium and campaign.
    pub(crate) utm: [Option<String>; 3],
}

/// What is drawn of that.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A range of dates.
    Dates,
    /// One UTM value.
    OneUtm,
    /// Any AND of them.
    Any,
}

impl Narrowed {
    fn draw(kind: Kind, picks: &Picks, dice: &mut Dice) -> Self {
        let mut drawn = Self::default();
        let bits = match kind {
            Kind::Dates => 8,
            Kind::OneUtm => 1 << dice.below(3),
            Kind::Any => 1 + dice.below(15),
        };
        for (n, values) in picks.utm.iter().enumerate() {
            if bits & 1 << n != 0 && !values.is_empty() {
                drawn.utm[n] = Some(dice.one_of(values).clone());
            }
        }
        if bits & 8 != 0 {
            let (a, b) = (*dice.one_of(&picks.instants), *dice.one_of(&picks.instants));
            drawn.dates = Some((a.min(b), a.max(b)));
        }
        drawn
    }

    fn query(&self) -> String {
        let mut query = String::new();
        let mut add = |name: &str, value: &str| {
            let and = if query.is_empty() { "" } else { "&" };
            let _ = write!(query, "{and}{name}={}", quoted(value));
        };
        let text = |micros| Timestamp::from_micros(micros).map(|at| at.to_string());
        if let Some((from, to)) = self.dates {
            add("date_from", &text(from).unwrap_or_default());
            add("date_to", &text(to).unwrap_or_default());
        }
        for (name, value) in ["utm_source", "utm_medium", "utm_campaign"].iter().zip(&self.utm) {
            if let Some(value) = value {
                add(name, value);
            }
        }
        query
    }
}

/// Returns the paths of lists that are narrowed at random.
pub(crate) fn lists(bench: &Bench, kind: Kind) -> Vec<String> {
    let mut dice = Dice::new(11);
    let mut list = || bench.data.list(&Narrowed::draw(kind, &bench.picks, &mut dice).query());
    (0..DRAWN).map(|_| list()).collect()
}

/// Measures them.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let sheaf = bench.serve(&bench.data).await?;
    let hello = bench.hello(&sheaf, &[("list20", &bench.data.list(""))]).await?;
    let mut rows = Vec::new();
    let mut dice = Dice::new(11);
    let kinds = [
        (Kind::Dates, "a random range of dates"),
        (Kind::OneUtm, "a random UTM value"),
        (Kind::Any, "a random AND of dates and UTM values"),
    ];
    for (kind, name) in kinds {
        let drawn_ones: Vec<_> =
            (0..DRAWN).map(|_| Narrowed::draw(kind, &bench.picks, &mut dice)).collect();
        for narrowed in &drawn_ones[..CHECKED] {
            let body = bench.fetch(&sheaf, &bench.data.list(&narrowed.query())).await?;
            let (total, _) = pagination(&body)?;
            let counted = bench.own.count(&bench.data.large, narrowed)?;
            if total != counted {
                let query = narrowed.query();
                return Err(format!("{query}: total {total}, but SQLite counts {counted}").into());
            }
        }
        let requests: Vec<_> = drawn_ones.iter().map(|n| bench.list(&n.query())).collect();
        let again = same(requests[0].clone());
        for (requests, how) in [(drawn(requests), "random"), (again, "the same again")] {
            let sides = ((&sheaf, &requests), (&hello, "list20"));
            let out = duel(bench.turns, CONNECTIONS, sides.0, sides.1).await?;
            let name = format!("list by {name}, {how}, {CONNECTIONS} connections");
            rows.push(row(name, &out).goal(format!("≥ {RATIO}"), out.ratio >= RATIO));
        }
    }
    sheaf.end().await?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_says_what_was_drawn() {
        let utm = [None, Some("a b".to_owned()), None];
        let narrowed = Narrowed { dates: Some((0, 1_000_000)), utm };
        let query = "date_from=1970-01-01T00%3A00%3A00Z&date_to=1970-01-01T00%3A00%3A01Z\
                     &utm_medium=a%20b";
        assert_eq!(narrowed.query(), query);
    }

    #[test]
    fn every_and_is_drawn() {
        let one = || vec!["x".to_owned()];
        let picks = Picks {
            ids: Vec::new(),
            instants: vec![1, 2],
            utm: [one(), one(), one()],
            texts: Vec::new(),
        };
        let mut dice = Dice::new(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let it = Narrowed::draw(Kind::Any, &picks, &mut dice);
            seen.insert((it.dates.is_some(), it.utm.clone()));
            assert!(it.dates.is_none_or(|(from, to)| from <= to));
        }
        assert_eq!(seen.len(), 15);
    }
}
