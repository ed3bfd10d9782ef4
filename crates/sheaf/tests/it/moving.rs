//! `sheaf move`: a directory that was served goes on as a database, and a kill costs nothing.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::database::{cluster, on};
use crate::server::Server;
use crate::world::{World, bad, good, until};

/// How often a move is killed.
const KILLS: u64 = 12;

fn moving(world: &World, more: &str) -> Command {
    let mut command = crate::world::binary();
    let from = world.data();
    command.args(["move", "--from"]).arg(from).args(more.split_whitespace());
    command
}

/// A world whose form holds so many submissions, and the form.
fn filled(count: u64) -> (World, String) {
    let world = World::with_account();
    let form = world.form("--field Name --field Score:rating");
    world.run(&format!("sample --form {form} --count {count} --seed 1"));
    (world, form)
}

#[test]
fn a_directory_goes_on_as_a_database() {
    let (world, form) = filled(300);
    let url = cluster().database().unwrap();
    let key = world.key("live");
    let list = format!("/v1/forms/{form}/submissions");
    let exports = ["csv", "ndjson"].map(|format| format!("{list}/export?format={format}"));
    let link = world.run("account sign-in-link --account a@example.com");
    let token = format!("{{\"token\":\"{}\"}}", link.split_once("token=").unwrap().1.trim());
    let server = Server::start(&world, "serve");
    let cookie = server.dashboard("POST", "/session", "", &token).cookie();
    let first = server.get(&format!("{list}?limit=20"), &key).json();
    let next =
        format!("{list}?limit=20&cursor={}", first["pagination"]["next_cursor"].as_str().unwrap());
    let second = server.get(&next, &key).json();
    let exported = exports.each_ref().map(|path| server.get(path, &key).body);
    // A look is welcome while it runs, a move is not.
    let inventory = good(&moving(&world, "--dry-run").output().unwrap());
    assert!(inventory.contains("submissions") && inventory.contains(&form), "{inventory}");
    let said = bad(&moving(&world, &format!("--to {url}")).output().unwrap());
    assert!(said.contains("is open elsewhere"), "{said}");
    server.signal("TERM");
    let mut server = server;
    server.end();

    let proof = good(&moving(&world, &format!("--json --to {url}")).output().unwrap());
    let proof: serde_json::Value = serde_json::from_str(&proof).unwrap();
    assert_eq!(proof["agrees"], true);
    assert_eq!(proof["forms"][0]["form_id"].as_str(), Some(form.as_str()));
    assert_eq!(proof["forms"][0]["source"], proof["forms"][0]["target"]);
    assert_eq!(proof["forms"][0]["target"]["rows"], 300);
    let server = Server::spawn(on(&url, "serve --listen 127.0.0.1:0"));
    assert_eq!(server.get(&format!("{list}?limit=20"), &key).json(), first);
    assert_eq!(server.get(&next, &key).json(), second, "the cursor does not go on");
    assert_eq!(exports.each_ref().map(|path| server.get(path, &key).body), exported);
    assert_eq!(server.dashboard("GET", "/session", &cookie, "").status, 200);
    let verified = good(&on(&url, "audit verify").output().unwrap());
    assert!(verified.contains("whole"), "{verified}");
}

#[test]
fn a_move_that_is_killed_goes_on() {
    let (world, form) = filled(6000);
    let url = cluster().database().unwrap();
    for n in 1..=KILLS {
        let mut command = moving(&world, "");
        command.env("SHEAF_DATABASE_URL", &url).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        thread::sleep(Duration::from_millis(40 * n));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = moving(&world, "").env("SHEAF_DATABASE_URL", &url).output().unwrap();
    let said = good(&output);
    assert!(said.contains(&form) && !said.contains("differs"), "{said}");
    let shown = good(&on(&url, &format!("form show {form} --json")).output().unwrap());
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["submission_count"], 6000);
}

/// Waits until a question to a database is answered by yes.
#[track_caller]
fn until_told(name: &str, question: &str) {
    until(question, || cluster().sql(name, question).is_ok_and(|answer| answer == "t"));
}

#[test]
fn a_move_that_is_killed_while_it_makes_the_index_goes_on() {
    let (world, form) = filled(3000);
    let (url, key) = (cluster().database().unwrap(), world.key("live"));
    let search = format!("/v1/forms/{form}/submissions?search=ann&limit=20");
    let mut server = Server::start(&world, "serve");
    let expected = server.get(&search, &key).json();
    server.signal("TERM");
    server.end();
    let name = url.rsplit('/').next().unwrap().to_owned();
    // Once a move has begun, an index that is to be made sleeps first. The schema's own do not.
    let delay = "CREATE FUNCTION delay() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE has_begun BOOLEAN := FALSE; BEGIN
            IF to_regclass('moves') IS NOT NULL THEN
                EXECUTE 'SELECT EXISTS (SELECT 1 FROM moves)' INTO has_begun;
            END IF;
            IF has_begun THEN PERFORM pg_sleep(600); END IF;
        END $$;
        CREATE EVENT TRIGGER delay ON ddl_command_start WHEN TAG IN ('CREATE INDEX')
            EXECUTE FUNCTION delay()";
    cluster().sql(&name, delay).unwrap();
    let mut command = moving(&world, "");
    command.env("SHEAF_DATABASE_URL", &url).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let sleeps = "FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'PgSleep'";
    until_told(&name, &format!("SELECT EXISTS (SELECT 1 {sleeps})"));
    child.kill().unwrap();
    child.wait().unwrap();
    let end = format!("SELECT count(pg_terminate_backend(pid)) = 1 {sleeps}");
    assert_eq!(cluster().sql(&name, &end).unwrap(), "t");
    cluster().sql(&name, "DROP EVENT TRIGGER delay; DROP FUNCTION delay").unwrap();
    let is_there = "SELECT to_regclass('submissions_by_trigram') IS NOT NULL";
    assert_eq!(cluster().sql(&name, is_there).unwrap(), "f");
    let said = bad(&on(&url, "serve --listen 127.0.0.1:0").output().unwrap());
    assert!(said.contains("a move into the database has not ended"), "{said}");

    good(&moving(&world, "").env("SHEAF_DATABASE_URL", &url).output().unwrap());
    assert_eq!(cluster().sql(&name, is_there).unwrap(), "t");
    let server = Server::spawn(on(&url, "serve --listen 127.0.0.1:0"));
    let found = server.get(&search, &key).json();
    assert!(found["pagination"]["total"].as_u64().is_some_and(|total| total > 0), "{found}");
    assert_eq!(found, expected);
}

#[test]
fn a_difference_is_named_and_an_error() {
    let (world, form) = filled(20);
    let url = cluster().database().unwrap();
    good(&moving(&world, &format!("--to {url}")).output().unwrap());
    let change =
        "UPDATE submissions SET json = json || ' ' WHERE id = (SELECT min(id) FROM submissions)";
    cluster().sql(url.rsplit('/').next().unwrap(), change).unwrap();
    let output = moving(&world, &format!("--to {url}")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&format!("the submissions of the form `{form}` differ")), "{said}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("differs"));
}

#[test]
fn a_move_needs_a_directory_and_a_database() {
    let world = World::with_account();
    let said = bad(&moving(&world, "").output().unwrap());
    assert!(said.contains("needs a database; name it with `--to`"), "{said}");
    let said = bad(&crate::world::binary().args(["move", "--from", "/nowhere"]).output().unwrap());
    assert!(said.contains("there is no data in `/nowhere`"), "{said}");
    let said = bad(&moving(&world, "--to http://h/d").output().unwrap());
    assert!(said.contains("must look like `postgres://"), "{said}");
}
