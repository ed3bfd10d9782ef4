//! `sheaf dump` and `sheaf restore`: a restored copy answers like the original, and a killed
//! restore leaves no data.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::database::{cluster, command_on};
use crate::server::Server;
use crate::test_env::{TestEnv, binary, expect_failure, expect_success};

/// Creates a data directory with a form of `count` submissions, and returns both.
fn env_with_submissions(count: u64) -> (TestEnv, String) {
    let env = TestEnv::with_account();
    let form = env.form("--field Name --field Score:rating");
    env.run(&format!("sample --form {form} --count {count} --seed 1"));
    (env, form)
}

/// Returns a path next to the data directory.
fn path_next_to_data(env: &TestEnv, name: &str) -> PathBuf {
    env.data().with_file_name(name)
}

fn dump_command(env: &TestEnv, file: &Path) -> Command {
    let mut command = binary();
    command.arg("dump").arg("--data").arg(env.data()).arg(file);
    command
}

fn restore_command(file: &Path, to: &Path) -> Command {
    let mut command = binary();
    command.arg("restore").arg("--data").arg(to).arg(file);
    command
}

fn restore_to_database_command(url: &str, file: &Path) -> Command {
    let mut command = command_on(url, "restore");
    command.arg(file);
    command
}

/// Requests of an API client and of a signed-in browser.
struct ReadRequests {
    key: String,
    cookie: String,
    paths: Vec<String>,
}

impl ReadRequests {
    fn responses(&self, server: &Server) -> Vec<Vec<u8>> {
        let bodies = self.paths.iter().map(|path| server.get(path, &self.key).body);
        let session = server.dashboard("GET", "/session", &self.cookie, "");
        assert_eq!(session.status, 200);
        bodies.chain([session.body]).collect()
    }
}

#[test]
fn dump_restores_to_database_and_back() {
    let (env, form) = env_with_submissions(300);
    let list = format!("/v1/forms/{form}/submissions");
    let link = env.run("account sign-in-link --account a@example.com");
    let token = format!("{{\"token\":\"{}\"}}", link.split_once("token=").unwrap().1.trim());
    let server = Server::start(&env, "serve");
    let cookie = server.dashboard("POST", "/session", "", &token).cookie();
    let key = env.key("live");
    let first = server.get(&format!("{list}?limit=20"), &key).json();
    let cursor = first["pagination"]["next_cursor"].as_str().unwrap();
    let paths = [
        format!("{list}?limit=20"),
        format!("{list}?limit=20&cursor={cursor}"),
        format!("{list}?limit=20&search=ann"),
        format!("{list}/export?format=csv"),
        format!("{list}/export?format=ndjson"),
    ];
    let client = ReadRequests { key, cookie, paths: paths.into() };
    let expected = client.responses(&server);
    // The server keeps running during the dump.
    let archive = path_next_to_data(&env, "archive");
    let printed = expect_success(&dump_command(&env, &archive).output().unwrap());
    assert!(printed.contains("submissions           300 "), "{printed}");
    assert_eq!(fs::metadata(&archive).unwrap().permissions().mode() & 0o777, 0o600);
    drop(server);

    let url = cluster().create_database().unwrap();
    assert_eq!(
        expect_success(&restore_to_database_command(&url, &archive).output().unwrap()),
        printed
    );
    let server = Server::spawn(command_on(&url, "serve --listen 127.0.0.1:0"));
    assert_eq!(client.responses(&server), expected);
    let again = path_next_to_data(&env, "again");
    let mut command = command_on(&url, "dump");
    let from_database = expect_success(&command.arg(&again).output().unwrap());
    drop(server);
    let data = path_next_to_data(&env, "data2");
    assert_eq!(expect_success(&restore_command(&again, &data).output().unwrap()), from_database);
    let mut command = binary();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data);
    assert_eq!(client.responses(&Server::spawn(command)), expected);
    let verified =
        expect_success(&binary().args(["audit", "verify", "--data"]).arg(&data).output().unwrap());
    assert!(verified.contains("whole"), "{verified}");
}

#[test]
fn killed_restore_leaves_nothing_and_is_repeatable() {
    let (env, form) = env_with_submissions(6000);
    let archive = path_next_to_data(&env, "archive");
    let data = path_next_to_data(&env, "data2");
    expect_success(&dump_command(&env, &archive).output().unwrap());
    let url = cluster().create_database().unwrap();
    for n in 1..=6 {
        for mut command in
            [restore_command(&archive, &data), restore_to_database_command(&url, &archive)]
        {
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_millis(50 * n));
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                // The restore finished before the kill, so a longer delay has nothing to test.
                return;
            }
        }
        assert!(!data.join("sheaf.db").exists(), "after {n}");
    }
    let wanted = "\"submission_count\":6000";
    for (mut restore, show) in [
        (restore_command(&archive, &data), {
            let mut show = binary();
            show.args(["form", "show", &form, "--json", "--data"]).arg(&data);
            show
        }),
        (
            restore_to_database_command(&url, &archive),
            command_on(&url, &format!("form show {form} --json")),
        ),
    ] {
        // PostgreSQL notices only after a moment that the client of the killed restore is gone.
        crate::test_env::wait_until("the restore succeeds", || {
            restore.output().unwrap().status.success()
        });
        let mut show = show;
        let shown = expect_success(&show.output().unwrap());
        assert!(shown.contains(wanted), "{shown}");
    }
}

#[test]
fn archive_streams_through_pipes() {
    let (env, _) = env_with_submissions(50);
    let data = path_next_to_data(&env, "data2");
    let mut from = dump_command(&env, Path::new("-")).stdout(Stdio::piped()).spawn().unwrap();
    let mut to = restore_command(Path::new("-"), &data);
    let printed = expect_success(&to.stdin(from.stdout.take().unwrap()).output().unwrap());
    assert!(from.wait().unwrap().success());
    assert!(printed.contains("submissions           50 "), "{printed}");
    let printed = expect_success(&binary().args(["check", "--data"]).arg(&data).output().unwrap());
    assert!(printed.contains("is whole: 50 submissions"), "{printed}");
}

#[test]
fn archive_is_encrypted_to_recipients() {
    use age::secrecy::ExposeSecret as _;
    let (env, _) = env_with_submissions(50);
    let write = |name: &str, identity: &age::x25519::Identity| {
        let file = path_next_to_data(&env, name);
        let text = format!("# created: today\n{}\n", identity.to_string().expose_secret());
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        file
    };
    let identities = [(); 3].map(|()| age::x25519::Identity::generate());
    let files = ["first", "second", "other"];
    let files = [0, 1, 2].map(|n| write(files[n], &identities[n]));
    let archive = path_next_to_data(&env, "archive");
    let mut command = dump_command(&env, &archive);
    for identity in &identities[..2] {
        command.arg("--recipient").arg(identity.to_public().to_string());
    }
    expect_success(&command.output().unwrap());
    let bytes = fs::read(&archive).unwrap();
    assert!(bytes.starts_with(b"age-encryption.org/v1\n"));

    let data = path_next_to_data(&env, "data2");
    let printed = expect_failure(&restore_command(&archive, &data).output().unwrap());
    assert!(printed.contains("the archive is encrypted"), "{printed}");
    let with = |archive: &Path, identity: &Path, to: &Path| {
        restore_command(archive, to).arg("--identity").arg(identity).output().unwrap()
    };
    let printed = expect_failure(&with(&archive, &files[2], &data));
    assert!(printed.contains("cannot be decrypted"), "{printed}");
    let cut = path_next_to_data(&env, "cut");
    fs::write(&cut, &bytes[..bytes.len() - 1]).unwrap();
    let printed = expect_failure(&with(&cut, &files[0], &data));
    assert!(printed.contains("damaged or cut off"), "{printed}");
    assert!(!data.join("sheaf.db").exists());
    for (file, to) in files[..2].iter().zip(["data2", "data3"]) {
        expect_success(&with(&archive, file, &path_next_to_data(&env, to)));
    }
    let plain = path_next_to_data(&env, "plain");
    expect_success(&dump_command(&env, &plain).output().unwrap());
    let printed = expect_failure(&with(&plain, &files[0], &path_next_to_data(&env, "data4")));
    assert!(printed.contains("is not encrypted, but `--identity` is given"), "{printed}");
    fs::write(&plain, "-----BEGIN AGE ENCRYPTED FILE-----\n").unwrap();
    let printed = expect_failure(&with(&plain, &files[0], &path_next_to_data(&env, "data4")));
    assert!(printed.contains("decrypt it with `age -d`"), "{printed}");
    fs::write(&files[0], "no identity").unwrap();
    let printed = expect_failure(&with(&archive, &files[0], &path_next_to_data(&env, "data4")));
    assert!(printed.contains("must contain age identities"), "{printed}");
}

#[test]
fn errors_name_unusable_files_and_recipients() {
    let (env, _) = env_with_submissions(1);
    let archive = path_next_to_data(&env, "archive");
    expect_success(&dump_command(&env, &archive).output().unwrap());
    let printed = expect_failure(&dump_command(&env, &archive).output().unwrap());
    assert!(printed.contains("archive` exists already; choose another name"), "{printed}");
    let printed = expect_failure(&dump_command(&env, &archive.join("x")).output().unwrap());
    assert!(printed.contains("cannot create"), "{printed}");
    let printed = expect_failure(&restore_command(&archive, &env.data()).output().unwrap());
    assert!(printed.contains("name a directory without data"), "{printed}");
    let printed = expect_failure(
        &restore_command(&path_next_to_data(&env, "none"), &path_next_to_data(&env, "d"))
            .output()
            .unwrap(),
    );
    assert!(printed.contains("cannot use the file"), "{printed}");
    let mut nowhere = binary();
    let nowhere = nowhere.args(["dump", "-", "--data", "/nowhere"]);
    let printed = expect_failure(&nowhere.stdout(Stdio::piped()).output().unwrap());
    assert!(printed.contains("there is no file `/nowhere/sheaf.db`"), "{printed}");
    let mut command = dump_command(&env, &path_next_to_data(&env, "other"));
    let printed =
        expect_failure(&command.args(["--recipient", "ssh-ed25519 AAAA"]).output().unwrap());
    assert!(printed.contains("`ssh-ed25519 AAAA` is not a recipient"), "{printed}");
}
