//! Grades the headers of the running binary, over TLS, with the analyser of the Mozilla
//! observatory. Only A+ passes. `xtask/observatory/grade.mjs` calls the analyser.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::run::run;
use crate::servers::TestServer;
use crate::test::nextest;
use crate::test::test_run::TestRun;
use crate::{apt, paths, tools};

/// Starts a server with a self-signed certificate, grades its headers, and stops it.
pub(crate) fn check_headers(test_run: &mut TestRun) -> Result<()> {
    let analyser = tools::observatory_folder()?;
    apt::need_programs(&["node", "openssl"])?;
    nextest::compile_tests()?;
    let folder = paths::target().join("observatory");
    paths::empty_folder(&folder)?;
    let mut openssl = Command::new("openssl");
    let options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem \
        -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
    run(openssl.args(options.split(' ')).current_dir(&folder).stderr(Stdio::null()))?;
    let mut serve = Command::new(paths::binary(false));
    let options = "serve --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem --data data";
    serve.args(options.split(' ')).current_dir(folder);
    let server = TestServer::start(&mut serve)?;
    let script = paths::root().join("xtask/observatory/grade.mjs");
    let url = server.url.replace("127.0.0.1", "localhost");
    run(Command::new("node").arg(script).arg(analyser).arg(url))?;
    test_run.counts.passed += 1;
    Ok(())
}
