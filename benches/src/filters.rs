//! Filters by dates, UTM values, and their conjunctions. Random filters show the speed without
//! caches, repeated ones with them.

use crate::Result;
use crate::bench::Bench;
use crate::dice::Dice;
use crate::duel::duel;
use crate::feed::row;
use crate::load::{drawn, same};
use crate::narrowed::{Kind, Narrowed};
use crate::picks::pagination;
use crate::results::Row;

/// Goal: ratio to a static response with the bytes of a page.
const RATIO: f64 = 0.25;
/// Number of different requests of each kind.
const DRAWN: usize = 5000;
/// Number of totals of each kind that are compared with a count by SQLite.
const CHECKED: usize = 10;
const CONNECTIONS: usize = 8;

/// Returns the paths of randomly filtered lists.
pub(crate) fn lists(bench: &Bench, kind: Kind) -> Vec<String> {
    let mut dice = Dice::new(11);
    let mut list = || bench.data.list(&Narrowed::draw(kind, &bench.picks, &mut dice).query());
    (0..DRAWN).map(|_| list()).collect()
}

/// Measures filters.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let sheaf = bench.serve(&bench.data).await?;
    let hello = bench.hello(&sheaf, &[("list20", &bench.data.list(""))]).await?;
    let mut rows = Vec::new();
    let mut dice = Dice::new(11);
    let kinds = [
        (Kind::Dates, "date range"),
        (Kind::OneUtm, "UTM value"),
        (Kind::Any, "dates and UTM values"),
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
        for (requests, how) in [(drawn(requests), "random"), (again, "repeated")] {
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
    use crate::picks::Picks;

    #[test]
    fn query_has_drawn_filter() {
        let utm = [None, Some("a b".to_owned()), None];
        let narrowed = Narrowed { dates: Some((0, 1_000_000)), utm };
        let query = "date_from=1970-01-01T00%3A00%3A00Z&date_to=1970-01-01T00%3A00%3A01Z\
                     &utm_medium=a%20b";
        assert_eq!(narrowed.query(), query);
    }

    #[test]
    fn every_conjunction_is_drawn() {
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
