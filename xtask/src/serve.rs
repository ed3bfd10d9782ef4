//! Sets up and starts a Sheaf server: builds missing parts, then replaces this process by the
//! server, which fills an empty data folder with samples.

use std::{
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result};
use clap::Args;
use fs_err as fs;

use crate::build::dashboard;
use crate::paths;
use crate::run::{WORKSPACE_COMPILER, cargo, cargo_program, command_text, print_line, run};
use crate::tools::WASM;

#[derive(Args)]
pub(crate) struct Options {
    /// Serves the release binary and the release of the dashboard
    #[arg(long)]
    release: bool,
    /// Address of the server
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Arguments for `sheaf serve`
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds, then replaces this process by the server, so that it receives signals and sets the exit
/// status.
pub(crate) fn serve(options: &Options) -> Result<()> {
    build_binary(options.release)?;
    fs::create_dir_all(paths::root().join("data"))?;
    let mut sheaf = Command::new(paths::binary(options.release));
    sheaf.current_dir(paths::root()).args(["serve", "--listen", &options.listen]);
    sheaf.args(["--data", "./data", "--sample"]).args(&options.arguments);
    print_line(&format!("$ {}", command_text(&sheaf)));
    Err(sheaf.exec()).with_context(|| command_text(&sheaf))
}

/// Builds the dashboard and the release binary, which embeds it.
pub(crate) fn build_release() -> Result<()> {
    build_binary(true)
}

fn build_binary(is_release: bool) -> Result<()> {
    // The debug binary has the features of the tests, so that nothing is compiled twice.
    let build = if is_release {
        "build --locked --release --package sheaf"
    } else {
        "build --locked --workspace --bin sheaf"
    };
    let mut ahead = None;
    if !paths::binary(is_release).is_file() {
        print_line("The first start builds everything: about 8 minutes, later seconds.");
        let with_dashboard = !is_release && dashboard::needs_compilation()?;
        ahead = compile_ahead(build, with_dashboard).ok();
    }
    let dashboard =
        if is_release { dashboard::build_dashboard(true) } else { dashboard::build_for_serving() };
    if let Some(mut ahead) = ahead {
        if dashboard.is_err() {
            let _ = ahead.kill();
        }
        let _ = ahead.wait();
    }
    dashboard?;
    run(&mut cargo(build))
}

/// Starts compiling the binary, and then the code that Trunk compiles for a development build.
/// Meanwhile the tools are installed, which does not keep two cores busy. Failures are ignored
/// here and appear in the later builds.
fn compile_ahead(build: &str, with_dashboard: bool) -> std::io::Result<Child> {
    let mut command = if with_dashboard {
        let dashboard = format!("cargo build --locked --target {WASM} --bin dashboard");
        let mut shell = cargo_program(Path::new("sh"), "-c");
        shell.arg(format!("cargo {build}; env -u {WORKSPACE_COMPILER} {dashboard}"));
        shell
    } else {
        cargo(build)
    };
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}
