//! A file that is changed while it is imported, between the look at it and its rows going in.

use crate::world::World;
use std::fs::File;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

const ASCENDING: &str = "id,submitted_at,Name\n\
    sub_1,2026-03-01T00:00:01Z,Ada\nsub_2,2026-03-01T00:00:02Z,Bob\n";
const DESCENDING: &str = "id,submitted_at,Name\n\
    sub_2,2026-03-01T00:00:02Z,Bob\nsub_1,2026-03-01T00:00:01Z,Ada\n";

/// The folder whose lock is the turn of an import, and its children.
struct Turn {
    lock: File,
    folder: std::path::PathBuf,
}

impl Turn {
    /// Takes the turn, so that an import waits once it has looked through its file.
    fn take(world: &World) -> Self {
        let lock = File::open(world.data()).unwrap();
        lock.lock().unwrap();
        Self { lock, folder: world.data().canonicalize().unwrap() }
    }

    /// Waits until an import waits: it has the folder open then.
    fn is_waited_for(&self, child: &mut Child) {
        let opened = format!("/proc/{}/fd", child.id());
        let is_waiting = || {
            let files = std::fs::read_dir(&opened).into_iter().flatten().flatten();
            files.filter_map(|file| file.path().read_link().ok()).any(|file| file == self.folder)
        };
        while !is_waiting() {
            assert!(child.try_wait().unwrap().is_none(), "it ended before its turn");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Imports a file that is changed when it was looked through, and returns what that said.
fn import(world: &World, command: &str, change: impl FnOnce()) -> std::process::Output {
    let turn = Turn::take(world);
    let mut command = world.command(command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    turn.is_waited_for(&mut child);
    change();
    turn.lock.unlock().unwrap();
    child.wait_with_output().unwrap()
}

/// Sets the time of a file's last change on, however fast this machine is.
fn touch(file: &str) {
    let later = SystemTime::now() + Duration::from_secs(10);
    File::options().write(true).open(file).unwrap().set_modified(later).unwrap();
}

fn check(text: &str, change: impl FnOnce(&str)) {
    let world = World::with_account();
    let form = world.form("");
    let file = world.write("a.csv", text);
    let map = "--map id=id --map submitted_at=submitted_at";
    let command = format!("import --form {form} {map} --csv {file}");
    let output = import(&world, &command, || change(&file));
    let said = crate::world::bad(&output);
    assert!(said.contains("the file was changed while it was imported; import it again"), "{said}");
    assert_eq!(world.count(&form), 0);
    world.write("a.csv", text);
    world.run(&command);
    assert_eq!(world.count(&form), 2, "something was left");
}

#[test]
fn a_changed_file_is_refused_in_any_order() {
    for text in [ASCENDING, DESCENDING] {
        let swapped = if text == ASCENDING { DESCENDING } else { ASCENDING };
        // As long as it was, and every line still good.
        check(text, |file| {
            std::fs::write(file, swapped).unwrap();
            touch(file);
        });
        check(text, |file| std::fs::write(file, &text[..40]).unwrap());
        check(text, |file| std::fs::write(file, "").unwrap());
        check(text, |file| std::fs::write(file, format!("{text}{text}")).unwrap());
    }
}

#[test]
fn a_file_that_is_let_alone_waits_for_its_turn() {
    let world = World::with_account();
    let form = world.form("");
    let file = world.write("a.csv", DESCENDING);
    let output = import(&world, &format!("import --form {form} --csv {file}"), || {});
    assert!(output.status.success(), "{output:?}");
    assert_eq!(world.count(&form), 2);
}
