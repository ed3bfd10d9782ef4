//! A file that changes during its import, between the analysis and the insertion of its rows.

use crate::test_env::TestEnv;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

const ASCENDING: &str = "id,submitted_at,Name\n\
    sub_1,2026-03-01T00:00:01Z,Ada\nsub_2,2026-03-01T00:00:02Z,Bob\n";
const DESCENDING: &str = "id,submitted_at,Name\n\
    sub_2,2026-03-01T00:00:02Z,Bob\nsub_1,2026-03-01T00:00:01Z,Ada\n";

/// Lock that imports take before they insert: a lock on the data directory.
struct ImportLock {
    lock: File,
    folder: std::path::PathBuf,
}

impl ImportLock {
    /// Takes the lock, so that an import waits after it has analysed its file.
    fn take(env: &TestEnv) -> Self {
        let lock = File::open(env.data()).unwrap();
        lock.lock().unwrap();
        Self { lock, folder: env.data().canonicalize().unwrap() }
    }

    /// Waits until an import waits for the lock, which shows in its open files: the directory is
    /// among them.
    fn wait_for_waiter(&self, child: &mut Child) {
        let opened = format!("/proc/{}/fd", child.id());
        let is_waiting = || {
            let files = std::fs::read_dir(&opened).into_iter().flatten().flatten();
            files.filter_map(|file| file.path().read_link().ok()).any(|file| file == self.folder)
        };
        while !is_waiting() {
            assert!(child.try_wait().unwrap().is_none(), "the import ended before it got the lock");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Runs an import, calls `change` after the analysis of the file, and returns the output.
fn import_with_change(env: &TestEnv, command: &str, change: impl FnOnce()) -> std::process::Output {
    let lock = ImportLock::take(env);
    let mut command = env.command(command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    lock.wait_for_waiter(&mut child);
    change();
    lock.lock.unlock().unwrap();
    child.wait_with_output().unwrap()
}

/// Moves the modification time of a file forward, because a fast machine may not change it.
fn advance_mtime(file: &Path) {
    let later = SystemTime::now() + Duration::from_secs(10);
    File::options().write(true).open(file).unwrap().set_modified(later).unwrap();
}

#[test]
fn file_changed_during_import_is_refused() {
    for (text, swapped) in [(ASCENDING, DESCENDING), (DESCENDING, ASCENDING)] {
        let env = TestEnv::with_account();
        let form = env.form("");
        let file = env.path("a.csv");
        let map = "--map id=id --map submitted_at=submitted_at";
        let command = format!("import --form {form} {map} --csv {}", file.display());
        let check = |change: &dyn Fn()| {
            env.write("a.csv", text);
            let output = import_with_change(&env, &command, change);
            let printed = crate::test_env::expect_failure(&output);
            assert!(
                printed.contains("the file was changed while it was imported; import it again"),
                "{printed}"
            );
            assert_eq!(env.count(&form), 0);
        };
        // The same length, and every line is still valid.
        check(&|| {
            std::fs::write(&file, swapped).unwrap();
            advance_mtime(&file);
        });
        check(&|| std::fs::write(&file, &text[..40]).unwrap());
        check(&|| std::fs::write(&file, "").unwrap());
        check(&|| std::fs::write(&file, format!("{text}{text}")).unwrap());
        env.write("a.csv", text);
        env.run(&command);
        assert_eq!(env.count(&form), 2, "a refused import left rows");
    }
}

#[test]
fn import_waits_for_lock_and_succeeds() {
    let env = TestEnv::with_account();
    let form = env.form("");
    let file = env.write("a.csv", DESCENDING);
    let output = import_with_change(&env, &format!("import --form {form} --csv {file}"), || {});
    assert!(output.status.success(), "{output:?}");
    assert_eq!(env.count(&form), 2);
}
