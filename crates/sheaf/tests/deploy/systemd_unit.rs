//! The systemd unit, verified and rated by systemd itself, and the server's readiness
//! notifications.

use crate::proxy::{filled, shown};
use crate::server::Server;
use crate::test_env::TestEnv;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

/// Maximum exposure, in tenths of a point: 0 is the best, 100 the worst.
const EXPOSURE_MAX: &str = "15";

/// Writes the documented unit with the path of the tested binary.
fn write_unit(env: &TestEnv) -> String {
    let binary = env!("CARGO_BIN_EXE_sheaf");
    assert!(Path::new(binary).is_file());
    env.write(
        "sheaf.service",
        filled(
            &shown("systemd/sheaf.service"),
            "/usr/local/bin/sheaf serve",
            &format!("{binary} serve"),
        ),
    )
}

fn run_systemd_analyze(words: &[&str], unit: &str) -> Output {
    let mut command = Command::new("systemd-analyze");
    command.args(["--no-pager"]).args(words).arg(unit);
    command
        .output()
        .expect("systemd-analyze is missing; run `cargo xtask test deploy`, which installs it")
}

#[test]
fn unit_is_valid_and_exposure_is_low() {
    let env = TestEnv::new();
    let unit = write_unit(&env);
    let verified = run_systemd_analyze(&["verify", "--man=no"], &unit);
    let printed = String::from_utf8_lossy(&verified.stderr).into_owned();
    assert!(verified.status.success() && printed.is_empty(), "{printed}");
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    let rated = run_systemd_analyze(&["security", "--offline=true", &threshold], &unit);
    let printed = String::from_utf8_lossy(&rated.stdout).into_owned();
    assert!(rated.status.success(), "{printed}");
    assert!(printed.contains("Overall exposure level"), "{printed}");
}

#[test]
fn service_manager_is_notified_of_start_and_stop() {
    let env = TestEnv::with_account();
    let path = env.path("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let receive = || {
        let mut bytes = [0; 64];
        let length = socket.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    };
    let mut command = env.command("serve --listen 127.0.0.1:0");
    command.env("NOTIFY_SOCKET", &path);
    let mut server = Server::spawn(command);
    assert_eq!(receive(), "READY=1");
    server.signal("TERM");
    assert_eq!(receive(), "STOPPING=1");
    server.end();
}

#[test]
fn secret_is_read_from_credentials_directory() {
    let env = TestEnv::with_account();
    let credentials = env.path("credentials");
    std::fs::create_dir(&credentials).unwrap();
    let key = env.secret("credentials/live-key", "svc_sk_live_canary");
    assert!(Path::new(&key).exists());
    let start = "gateway --upstream http://127.0.0.1:9 --key-live-file live-key";
    let refused = env.fail(start);
    assert!(refused.contains("`live-key`"), "{refused}");
    let secret = env.secret("credentials/proxy-secret", "0123456789abcdef0123456789abcdef");
    assert!(Path::new(&secret).exists());
    let start = format!(
        "{start} --trusted-proxy 127.0.0.1/32 --identity-header x-forwarded-email \
         --proxy-secret-file proxy-secret"
    );
    let mut command = env.command(&format!("{start} --listen 127.0.0.1:0"));
    command.env("CREDENTIALS_DIRECTORY", &credentials);
    let server = Server::spawn(command);
    assert_eq!(server.ask("GET", "/sign-in", &[], "").status, 200);
}
