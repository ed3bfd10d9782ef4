//! The binary `sheaf`; all of it is in the library, where fuzz targets can reach it, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    sheaf::main()
}
