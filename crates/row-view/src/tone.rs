//! What a tint means, and the icon that tells it without its colour.

use crate::icon;

/// The meaning that a tint carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Good news.
    Positive,
    /// Good and bad at once.
    Mixed,
    /// Bad news.
    Negative,
    /// Neither, or not known to us.
    #[default]
    Neutral,
    /// Worth knowing.
    Info,
}

impl Tone {
    /// Returns the tint of a sentiment, by its label.
    pub fn of_sentiment(label: &str) -> Self {
        match label {
            "positive" => Self::Positive,
            "negative" => Self::Negative,
            "mixed" => Self::Mixed,
            _ => Self::Neutral,
        }
    }

    /// Returns the value of `data-tone`, by which `style/` picks the tint.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Mixed => "mixed",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Info => "info",
        }
    }

    /// Returns the path of its icon.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Positive => icon::SMILE,
            Self::Mixed => icon::MIXED,
            Self::Negative => icon::FROWN,
            Self::Neutral => icon::MEH,
            Self::Info => icon::INFO,
        }
    }
}
