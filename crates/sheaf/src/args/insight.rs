//! Arguments of the analysis.

use clap::Args;
use std::path::PathBuf;

use super::parse_base_url;
use crate::config::InsightLimits;

/// Background analysis of submissions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Analysis")]
pub(crate) struct Insight {
    #[command(flatten)]
    pub(crate) limits: InsightLimits,
    /// Do not analyse submissions; pending ones stay pending
    #[arg(long = "no-insight")]
    pub(crate) is_off: bool,
    /// Base URL of an external analyst: a language model that is used instead of this process
    ///
    /// The service needs `OpenAI`-compatible chat completions; the URL is given without
    /// `/chat/completions`. It receives the text of answers and the form's categories. Without this
    /// option no data leave the machine.
    #[arg(
        long = "insight-url",
        value_name = "URL",
        value_parser = parse_base_url,
        requires = "model",
        conflicts_with = "is_off"
    )]
    pub(crate) url: Option<String>,
    /// Model of the external analyst
    #[arg(long = "insight-model", value_name = "NAME", requires = "url")]
    pub(crate) model: Option<String>,
    /// File with the API key of the external analyst; must not be world-readable
    #[arg(long = "insight-key-file", value_name = "FILE", requires = "url")]
    pub(crate) key_file: Option<PathBuf>,
    /// File with CA certificates (PEM) to trust for the external analyst, instead of the public
    /// ones
    #[arg(long = "insight-ca", value_name = "FILE", requires = "url")]
    pub(crate) ca: Option<PathBuf>,
}
