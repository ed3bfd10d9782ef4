//! Which tool wrote a file, told by its heads, and what its columns are there.

use std::fmt;
use std::str::FromStr;

use super::instant::DateOrder;
use super::target::Part;

/// How a file of CSV was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Google Forms, or the sheet behind it.
    Google,
    /// Typeform.
    Typeform,
    /// `SurveyMonkey`, with its two header rows.
    Monkey,
    /// An export of Sheaf.
    Sheaf,
    /// Anything else.
    Plain,
}

/// What Google calls the first column in the languages of its users.
const GOOGLE_FIRST: [&str; 8] = [
    "Timestamp",
    "Zeitstempel",
    "Horodateur",
    "Marca temporal",
    "Carimbo de data/hora",
    "Informazioni cronologiche",
    "Tijdstempel",
    "Tidsstempel",
];

impl Dialect {
    const ALL: [(&str, &str, Self); 5] = [
        ("google", "from Google Forms", Self::Google),
        ("typeform", "from Typeform", Self::Typeform),
        ("surveymonkey", "from SurveyMonkey", Self::Monkey),
        ("sheaf", "an export of Sheaf", Self::Sheaf),
        ("plain", "plain CSV", Self::Plain),
    ];

    /// Tells by the heads who wrote a file.
    pub(super) fn recognise(heads: &[String]) -> Self {
        let has = |name: &str| heads.iter().any(|head| same(head, name));
        let first = heads.first().map(|head| head.trim()).unwrap_or_default();
        let second = heads.get(1).map(String::as_str).unwrap_or_default();
        let is_sheaf = first == "submission_id"
            && second == "submitted_at"
            && heads.last().is_some_and(|head| head == "language");
        if is_sheaf {
            Self::Sheaf
        } else if first == "#" && (has("Submit Date (UTC)") || has("Start Date (UTC)")) {
            Self::Typeform
        } else if has("Respondent ID") && has("Collector ID") {
            Self::Monkey
        } else if GOOGLE_FIRST.contains(&first) {
            Self::Google
        } else {
            Self::Plain
        }
    }

    /// Returns what the column at a place is, where it is no field.
    pub(super) fn part(self, at: usize, head: &str) -> Option<Part> {
        let utm = || Part::named(head).filter(|_| head.starts_with("utm_"));
        let clock = |start: &[&str], end: &[&str]| {
            if start.iter().any(|name| same(head, name)) {
                Some(Part::StartedAt)
            } else {
                end.iter().any(|name| same(head, name)).then_some(Part::SubmittedAt)
            }
        };
        match self {
            Self::Google => (at == 0).then_some(Part::SubmittedAt).or_else(utm),
            Self::Typeform => clock(&["Start Date (UTC)"], &["Submit Date (UTC)"]).or_else(utm),
            Self::Monkey => clock(&["Start Date"], &["End Date"]).or_else(utm),
            Self::Sheaf if head == "submission_id" => Some(Part::Id),
            Self::Sheaf => Part::named(head)
                .filter(|part| !matches!(part, Part::Skip | Part::StartedAt))
                .filter(|part| *part != Part::Id),
            Self::Plain => clock(
                &["Start Date", "started_at", "Start Time"],
                &["End Date", "submitted_at", "End Time"],
            )
            .or_else(utm),
        }
    }

    /// Whether a column of instants stays a field as well. Where nobody knows who wrote a file,
    /// nothing of it may be lost by a guess.
    pub(super) fn keeps_instants(self) -> bool {
        self == Self::Plain
    }

    /// Returns the order of dates where the tool knows only one.
    pub(super) fn date_order(self) -> Option<DateOrder> {
        (self == Self::Monkey).then_some(DateOrder::Mdy)
    }
}

/// Whether two heads say the same but for case, spaces and underscores.
fn same(head: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        let kept = text.chars().filter(|c| !matches!(c, ' ' | '_'));
        kept.flat_map(char::to_lowercase).collect()
    };
    letters(head) == letters(name)
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.into_iter().find(|(_, _, dialect)| dialect == self);
        f.write_str(name.map_or("", |(_, words, _)| words))
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|(name, _, _)| *name == text);
        named.map(|(_, _, dialect)| dialect).ok_or_else(|| {
            let all = Self::ALL.map(|(name, _, _)| name).join("`, `");
            format!("a file is from one of `{all}`, but this is `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(heads: &str, dialect: Dialect, parts: &str) {
        let heads: Vec<String> = heads.split(',').map(str::to_owned).collect();
        assert_eq!(Dialect::recognise(&heads), dialect, "{heads:?}");
        let part = |(at, head): (usize, &String)| {
            dialect.part(at, head).map_or("-".to_owned(), |part| part.to_string())
        };
        let found: Vec<_> = heads.iter().enumerate().map(part).collect();
        assert_eq!(found.join(","), parts, "{heads:?}");
    }

    #[test]
    fn a_tool_is_told_by_its_heads() {
        check("Timestamp,Name,Score,utm_source", Dialect::Google, "submitted_at,-,-,utm_source");
        check("Zeitstempel,Name", Dialect::Google, "submitted_at,-");
        check(
            "#,Name,Response Type,Start Date (UTC),Submit Date (UTC),Network ID",
            Dialect::Typeform,
            "-,-,-,started_at,submitted_at,-",
        );
        check(
            "Respondent ID,Collector ID,Start Date,End Date,IP Address,How?",
            Dialect::Monkey,
            "-,-,started_at,submitted_at,-,-",
        );
        check("respondent_id,collector_id,x", Dialect::Monkey, "-,-,-");
        check(
            "submission_id,submitted_at,id,device,sentiment_score,language",
            Dialect::Sheaf,
            "id,submitted_at,-,device,sentiment_score,language",
        );
        check(",StartDate,EndDate,q1", Dialect::Plain, "-,started_at,submitted_at,-");
        check("#,Name", Dialect::Plain, "-,-");
        check("submission_id,submitted_at", Dialect::Plain, "-,submitted_at");
        check("Name,Timestamp,device", Dialect::Plain, "-,-,-");
    }

    #[test]
    fn a_tool_has_one_name() {
        for (name, _, dialect) in Dialect::ALL {
            assert_eq!(name.parse(), Ok(dialect));
        }
        assert!("excel".parse::<Dialect>().unwrap_err().contains("`excel`"));
    }
}
