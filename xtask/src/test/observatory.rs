//! The headers of the running binary, over TLS of its own, judged by the Mozilla observatory's own
//! analyser: only A+ passes. How it is asked stands in `xtask/observatory/judge.mjs`.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::run::{Error, Result, io_at, not_started, run};
use crate::test::nextest;
use crate::test::test_run::TestRun;
use crate::{apt, place, tools};

/// Starts a server, judges it, and ends it.
pub(crate) fn check(test_run: &mut TestRun) -> Result {
    let analyser = tools::observatory()?;
    apt::need_program("openssl", "openssl", "to make a certificate for a moment")?;
    nextest::compile()?;
    let data = place::target().join("observatory");
    if data.exists() {
        fs::remove_dir_all(&data).map_err(io_at("remove", &data))?;
    }
    fs::create_dir_all(&data).map_err(io_at("create", &data))?;
    certificate(&data)?;
    let (mut server, url) = started(&data)?;
    let judge = place::root().join("xtask/observatory/judge.mjs");
    let judged = run(Command::new("node").arg(judge).arg(&analyser).arg(url));
    let _ = server.kill();
    let _ = server.wait();
    judged?;
    test_run.counts.passed += 1;
    Ok(())
}

/// Makes a certificate that vouches for itself.
fn certificate(folder: &Path) -> Result {
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    openssl.args(["-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2"]);
    openssl.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    run(openssl.current_dir(folder).stderr(Stdio::null()))
}

fn started(folder: &Path) -> Result<(Child, String)> {
    let mut serve = Command::new(place::dev_binary());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"]);
    serve.args(["--tls-key", "key.pem", "--data", "data"]).current_dir(folder);
    let started = serve.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut server = started.map_err(|error| not_started(&serve, &error))?;
    // Its output stays open: it ends where nobody hears what it says.
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
    Err(Error::new("the server did not say where it listens: see its own words above"))
}
