//! Meaning of the status colours, and icons that convey it without colour.

use crate::icon;

/// Meaning of a status colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusTone {
    /// Positive.
    Positive,
    /// Positive and negative.
    Mixed,
    /// Negative.
    Negative,
    /// Neither, or unknown.
    #[default]
    Neutral,
    /// Informational.
    Info,
}

impl StatusTone {
    /// Returns the tone of a sentiment label.
    pub fn from_sentiment(label: &str) -> Self {
        match label {
            "positive" => Self::Positive,
            "negative" => Self::Negative,
            "mixed" => Self::Mixed,
            _ => Self::Neutral,
        }
    }

    /// Returns the value of `data-tone`, which `style/` uses to select the colour.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Mixed => "mixed",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Info => "info",
        }
    }

    /// Returns the path of the icon.
    pub const fn icon_path(self) -> &'static str {
        match self {
            Self::Positive => icon::SMILE,
            Self::Mixed => icon::MIXED,
            Self::Negative => icon::FROWN,
            Self::Neutral => icon::MEH,
            Self::Info => icon::INFO,
        }
    }
}
