//! Arguments of `sheaf dashboard`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Dashboard {
    /// Writes the dashboard's files, also compressed, to a folder
    ///
    /// Files of other versions remain, for pages that are still open.
    Export {
        /// Target folder, created if missing
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Prints the nginx configuration to serve the exported folder, with the headers that the
    /// gateway would send
    Nginx {
        /// Path of the folder for nginx
        #[arg(long, value_name = "DIR")]
        root: PathBuf,
        /// Browsers connect without TLS, for local use
        #[arg(long)]
        without_tls: bool,
    },
}
