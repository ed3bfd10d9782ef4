//! What the command line says of the analysis.

use clap::Args;
use std::path::PathBuf;

use super::base_url;
use crate::config::InsightLimits;

/// How submissions of forms with analysis are analysed, behind everything else.
#[derive(Debug, Args)]
pub(crate) struct Insight {
    #[command(flatten)]
    pub(crate) limits: InsightLimits,
    /// Analyse nothing: what is pending stays so
    #[arg(long = "no-insight")]
    pub(crate) is_off: bool,
    /// Let another service analyse, by chat completions as `OpenAI` has them; this is what stands
    /// before `/chat/completions`. It gets the prose of answers and the form's categories. Without
    /// it, this process analyses, and nothing leaves the machine
    #[arg(
        long = "insight-url",
        value_name = "URL",
        value_parser = base_url,
        requires = "model",
        conflicts_with = "is_off"
    )]
    pub(crate) url: Option<String>,
    /// The model that it is to use
    #[arg(long = "insight-model", value_name = "NAME", requires = "url")]
    pub(crate) model: Option<String>,
    /// A file that holds the key for it
    #[arg(long = "insight-key-file", value_name = "FILE", requires = "url")]
    pub(crate) key_file: Option<PathBuf>,
    /// A file of certificates (PEM) of the authorities that may vouch for it, in place of the
    /// public ones
    #[arg(long = "insight-ca", value_name = "FILE", requires = "url")]
    pub(crate) ca: Option<PathBuf>,
}
