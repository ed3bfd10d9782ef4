//! Grades the headers of the running binary, over TLS, with the analyser of the Mozilla
//! observatory. Only A+ passes. `xtask/observatory/judge.mjs` calls the analyser.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::run::{Error, Result, io_at, not_started, run};
use crate::test::nextest;
use crate::test::test_run::TestRun;
use crate::{apt, paths, tools};

/// Starts a server, grades its headers, and stops it.
pub(crate) fn check_headers(test_run: &mut TestRun) -> Result {
    let analyser = tools::observatory_folder()?;
    apt::need_program("openssl", "openssl", "to create a temporary certificate")?;
    nextest::compile_tests()?;
    let data = paths::target().join("observatory");
    if data.exists() {
        fs::remove_dir_all(&data).map_err(io_at("remove", &data))?;
    }
    fs::create_dir_all(&data).map_err(io_at("create", &data))?;
    create_certificate(&data)?;
    let (mut server, url) = start_server(&data)?;
    let script = paths::root().join("xtask/observatory/judge.mjs");
    let result = run(Command::new("node").arg(script).arg(&analyser).arg(url));
    let _ = server.kill();
    let _ = server.wait();
    result?;
    test_run.counts.passed += 1;
    Ok(())
}

/// Creates a self-signed certificate.
fn create_certificate(folder: &Path) -> Result {
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    openssl.args(["-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2"]);
    openssl.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    run(openssl.current_dir(folder).stderr(Stdio::null()))
}

fn start_server(folder: &Path) -> Result<(Child, String)> {
    let mut serve = Command::new(paths::dev_binary());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"]);
    serve.args(["--tls-key", "key.pem", "--data", "data"]).current_dir(folder);
    let started = serve.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut server = started.map_err(|error| not_started(&serve, &error))?;
    // The pipe stays open: the server exits if it cannot write its output.
    let lines = server.stdout.as_mut().map(|out| BufReader::new(out).lines());
    let url = lines.and_then(|lines| {
        lines.map_while(std::result::Result::ok).find_map(|line| {
            line.strip_prefix("listening on ").map(|url| url.replace("127.0.0.1", "localhost"))
        })
    });
    if let Some(url) = url {
        return Ok((server, url));
    }
    let _ = server.kill();
    let _ = server.wait();
    Err(Error::new("the server did not print its address: see its output above"))
}
