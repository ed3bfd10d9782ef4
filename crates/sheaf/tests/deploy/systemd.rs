//! The unit under systemd: installed with the commands that the documentation shows, restarted
//! after a kill, given a credential, and stopped. systemd runs in its own namespaces over a
//! temporary copy of this machine's files.

use crate::proxy::{filled, shown};
use crate::test_env::{TestEnv, binary};
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts systemd in a folder, over an overlay of the root file system.
const BOOT: &str = r#"
    mount -t tmpfs -o size=2g,mode=755 tmpfs "$1"
    mkdir "$1/upper" "$1/work" "$1/root"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
    cp "$2/proof.service" "$1/root/etc/systemd/system/"
    echo 0123456789abcdef0123456789abcdef > "$1/root/etc/machine-id"
    exec timeout 120 systemd-nspawn --quiet --directory="$1/root" --bind="$2:/proof" \
      --private-network --register=no --keep-unit --boot systemd.unit=proof.service
"#;

/// Unit that runs `run.sh` and then powers the machine off.
const TEST_UNIT: &str = "\
[Unit]
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
WorkingDirectory=/proof
ExecStart=/bin/sh -c 'sh -eux run.sh > stdout 2> stderr && echo yes > complete'
";

/// Checks that run after the installation.
const CHECKS: &str = r#"
first=$(systemctl show --property MainPID --value sheaf)
curl -fsS http://127.0.0.1:9180/readyz
echo
grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/$first/status
stat -c '%a %U %n' /var/lib/sheaf /var/lib/sheaf/sheaf.db

kill -9 "$first"
until curl -fsS http://127.0.0.1:9180/readyz; do sleep 0.2; done
echo
test "$(systemctl show --property MainPID --value sheaf)" != "$first"

mkdir -p /etc/sheaf /etc/systemd/system/sheaf.service.d
(umask 077; head -c 30 /dev/urandom | base64 > /etc/sheaf/proxy-secret)
cp credential.conf /etc/systemd/system/sheaf.service.d/
systemctl daemon-reload
systemctl restart sheaf
echo "with a credential: $(systemctl is-active sheaf)"

systemctl stop sheaf
systemctl show --property Result --property ExecMainStatus sheaf
"#;

/// Returns a drop-in with the credential and the options that the documentation shows for it.
fn credential_drop_in(page: &str) -> String {
    let load = "LoadCredential=proxy-secret:/etc/sheaf/proxy-secret";
    assert!(page.contains(load), "{page}");
    let line = page.lines().find(|line| line.contains("--proxy-secret-file")).unwrap();
    let command = filled(line, "sheaf serve", "/usr/local/bin/sheaf serve");
    let operator = "--operator-listen 127.0.0.1:9180";
    format!("[Service]\n{load}\nExecStart=\nExecStart={command} {operator}\n")
}

/// Writes the files that the commands need into the folder that the machine mounts as `/proof`.
fn write_test_files(folder: &Path) {
    let page = shown("systemd.md");
    let commands = page.split("```").nth(1).unwrap().trim_start_matches('\n');
    // `sudo` needs a policy for this user change; root in the machine uses `runuser` instead.
    let commands = filled(commands, "sudo -u sheaf", "runuser -u sheaf --");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    std::fs::create_dir_all(folder.join("docs/deploy/systemd")).unwrap();
    write("docs/deploy/systemd/sheaf.service", &shown("systemd/sheaf.service"));
    write("run.sh", &format!("{commands}{CHECKS}"));
    write("credential.conf", &credential_drop_in(&page));
    write("proof.service", TEST_UNIT);
    std::fs::copy(binary().get_program(), folder.join("sheaf")).unwrap();
}

#[test]
fn documented_service_runs_under_systemd() {
    if std::env::var_os("SYSTEMD_NSPAWN").is_none() {
        eprintln!("skipped: `cargo xtask test deploy` reports whether systemd can be started here");
        return;
    }
    let env = TestEnv::new();
    let scratch = env.path("scratch");
    let proof = env.path("proof");
    std::fs::create_dir(&scratch).unwrap();
    std::fs::create_dir(&proof).unwrap();
    write_test_files(&proof);
    let mut boot = Command::new("unshare");
    boot.args(["--mount", "--propagation", "private", "sh", "-ec", BOOT, "sh"]);
    let boot = boot.arg(&scratch).arg(&proof).stdin(Stdio::null()).output().unwrap();
    let read = |name: &str| std::fs::read_to_string(proof.join(name)).unwrap_or_default();
    let stdout = read("stdout");
    let stderr = read("stderr");
    let boot_log = String::from_utf8_lossy(&boot.stderr).into_owned();
    assert_eq!(read("complete"), "yes\n", "{stderr}\n{stdout}\n{boot_log}");
    let lines: Vec<_> = stdout.lines().collect();
    let ready = r#"{"ready":true,"not_ready":[]}"#;
    for line in [
        "CapEff:\t0000000000000000",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
        "700 sheaf /var/lib/sheaf",
        "600 sheaf /var/lib/sheaf/sheaf.db",
        "with a credential: active",
        "Result=success",
        "ExecMainStatus=0",
    ] {
        assert!(lines.contains(&line), "the output has no line `{line}`: {lines:?}");
    }
    assert_eq!(lines.iter().filter(|line| **line == ready).count(), 2, "{lines:?}");
}
