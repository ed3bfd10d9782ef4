//! Arguments of `sheaf dashboard`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Dashboard {
    /// Writes the dashboard's files into a folder, with their compressed forms
    ///
    /// Files of other versions stay there, for pages that are still open.
    Export {
        /// The folder; made where it is missing
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Prints what nginx must include to serve that folder: paths, and exactly the headers that
    /// the gateway would send
    Nginx {
        /// Where nginx finds the folder
        #[arg(long, value_name = "DIR")]
        root: PathBuf,
        /// Browsers come without TLS, as on one's own machine
        #[arg(long)]
        without_tls: bool,
    },
}
