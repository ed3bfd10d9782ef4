//! What a column becomes: an answer, a part of the metadata or of the insight, the id, or nothing.

use std::fmt;
use std::str::FromStr;

/// What a column that is no field becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// The submission's id.
    Id,
    /// When it was submitted.
    SubmittedAt,
    /// When it was begun, for the time that it took.
    StartedAt,
    /// The time that it took.
    CompletionTime,
    /// Two-letter country code.
    IpCountry,
    /// Device class.
    Device,
    /// Browser name.
    Browser,
    /// UTM source.
    UtmSource,
    /// UTM medium.
    UtmMedium,
    /// UTM campaign.
    UtmCampaign,
    /// Sentiment label.
    Sentiment,
    /// Fraction between 0 and 1.
    SentimentScore,
    /// Category tags.
    Categories,
    /// Language code.
    Language,
    /// Nothing: the column is left out.
    Skip,
}

impl Part {
    /// Every part with its name on the command line; most are named as the export names them.
    pub(super) const ALL: [(&str, Self); 15] = [
        ("id", Self::Id),
        ("submitted_at", Self::SubmittedAt),
        ("started_at", Self::StartedAt),
        ("completion_time_seconds", Self::CompletionTime),
        ("ip_country", Self::IpCountry),
        ("device", Self::Device),
        ("browser", Self::Browser),
        ("utm_source", Self::UtmSource),
        ("utm_medium", Self::UtmMedium),
        ("utm_campaign", Self::UtmCampaign),
        ("sentiment", Self::Sentiment),
        ("sentiment_score", Self::SentimentScore),
        ("categories", Self::Categories),
        ("language", Self::Language),
        ("skip", Self::Skip),
    ];

    /// Finds a part by its name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, part)| part)
    }

    /// Whether a cell of it is an instant.
    pub(super) fn is_instant(self) -> bool {
        matches!(self, Self::SubmittedAt | Self::StartedAt)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.into_iter().find(|(_, part)| part == self).map(|(name, _)| name);
        f.write_str(name.unwrap_or_default())
    }
}

/// What the person wants a column to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// Something that is no field.
    Part(Part),
    /// The field of this key or name, made where the form has none.
    Field(String),
}

/// A column and its target, as `--map` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// The column's head.
    pub(crate) head: String,
    /// What it becomes.
    pub(crate) target: Target,
}

impl FromStr for Mapping {
    type Err = String;

    /// Splits at the last `=`, since heads may hold one. `field:NAME` is a field also where its
    /// name is that of a part.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let names = Part::ALL.map(|(name, _)| name).join("`, `");
            format!(
                "a mapping is `HEAD=TARGET`, where TARGET is a field's name or one of `{names}`, \
                 but this is `{text}`"
            )
        };
        let (head, target) = text.rsplit_once('=').ok_or_else(wrong)?;
        let target = match (target.strip_prefix("field:"), Part::named(target)) {
            (Some(name), _) => Target::Field(name.to_owned()),
            (None, Some(part)) => Target::Part(part),
            (None, None) => Target::Field(target.to_owned()),
        };
        if head.is_empty() || target == Target::Field(String::new()) {
            return Err(wrong());
        }
        Ok(Self { head: head.to_owned(), target })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_ends_with_its_target() {
        let read = |text: &str| {
            let mapping: Mapping = text.parse().unwrap();
            (mapping.head, mapping.target)
        };
        let field = |name: &str| Target::Field(name.to_owned());
        assert_eq!(read("When=submitted_at"), ("When".into(), Target::Part(Part::SubmittedAt)));
        assert_eq!(read("1+1=2?=skip"), ("1+1=2?".into(), Target::Part(Part::Skip)));
        assert_eq!(read("Q1=How was it?"), ("Q1".into(), field("How was it?")));
        assert_eq!(read("Q1=field:device"), ("Q1".into(), field("device")));
        for bad in ["When", "=id", "When=", "When=field:"] {
            assert!(bad.parse::<Mapping>().unwrap_err().contains(bad), "{bad}");
        }
        for (name, part) in Part::ALL {
            assert_eq!((Part::named(name), part.to_string().as_str()), (Some(part), name));
        }
    }
}
