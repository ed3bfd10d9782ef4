//! Targets of a column: an answer, metadata, insight, the id, or nothing.

use std::fmt;
use std::str::FromStr;

/// Target of a column that is not a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MetadataPart {
    /// Id of the submission.
    Id,
    /// Submission time.
    SubmittedAt,
    /// Start time, for computing the completion time.
    StartedAt,
    /// Completion time, in seconds.
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
    /// Number from 0 to 1.
    SentimentScore,
    /// Category tags.
    Categories,
    /// Language code.
    Language,
    /// No target: the column is skipped.
    Skip,
}

impl MetadataPart {
    /// All parts with their names on the command line. Most are named as in an export.
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
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(part_name, _)| *part_name == name).map(|(_, part)| part)
    }

    /// Whether its cells are timestamps.
    pub(super) fn is_instant(self) -> bool {
        matches!(self, Self::SubmittedAt | Self::StartedAt)
    }
}

impl fmt::Display for MetadataPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.into_iter().find(|(_, part)| part == self).map(|(name, _)| name);
        f.write_str(name.unwrap_or_default())
    }
}

/// Target of a column that the user sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ColumnTarget {
    /// Metadata, insight, the id, or nothing.
    Part(MetadataPart),
    /// Field with this key or name, created if the form does not have it.
    Field(String),
}

/// A column and its target, from `--map`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// Header of the column.
    pub(crate) column: String,
    /// Target of the column.
    pub(crate) target: ColumnTarget,
}

impl FromStr for Mapping {
    type Err = String;

    /// Splits at the last `=`, because headers can contain one. `field:NAME` is a field even if
    /// NAME is the name of a part.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let names = MetadataPart::ALL.map(|(name, _)| name).join("`, `");
            format!(
                "must be `HEAD=TARGET`, where TARGET is the name of a field or one of `{names}`, \
                 but is `{text}`"
            )
        };
        let (head, target) = text.rsplit_once('=').ok_or_else(wrong)?;
        let target = match (target.strip_prefix("field:"), MetadataPart::by_name(target)) {
            (Some(name), _) => ColumnTarget::Field(name.to_owned()),
            (None, Some(part)) => ColumnTarget::Part(part),
            (None, None) => ColumnTarget::Field(target.to_owned()),
        };
        if head.is_empty() || target == ColumnTarget::Field(String::new()) {
            return Err(wrong());
        }
        Ok(Self { column: head.to_owned(), target })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapping_is_split_at_last_equals_sign() {
        let read = |text: &str| {
            let mapping: Mapping = text.parse().unwrap();
            (mapping.column, mapping.target)
        };
        let field = |name: &str| ColumnTarget::Field(name.to_owned());
        assert_eq!(
            read("When=submitted_at"),
            ("When".into(), ColumnTarget::Part(MetadataPart::SubmittedAt))
        );
        assert_eq!(read("1+1=2?=skip"), ("1+1=2?".into(), ColumnTarget::Part(MetadataPart::Skip)));
        assert_eq!(read("Q1=How was it?"), ("Q1".into(), field("How was it?")));
        assert_eq!(read("Q1=field:device"), ("Q1".into(), field("device")));
        for bad in ["When", "=id", "When=", "When=field:"] {
            assert!(bad.parse::<Mapping>().unwrap_err().contains(bad), "{bad}");
        }
        for (name, part) in MetadataPart::ALL {
            assert_eq!(
                (MetadataPart::by_name(name), part.to_string().as_str()),
                (Some(part), name)
            );
        }
    }
}
