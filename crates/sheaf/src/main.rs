//! The binary `sheaf`. Its code is in the library, so that fuzz targets can use it.

use std::process::ExitCode;

fn main() -> ExitCode {
    sheaf::main()
}
