//! Files of earlier schemas are migrated to the present one with all their data.
//!
//! Each fixture is the content of such a file as SQL. `cargo xtask fixture` writes a missing fixture
//! of the present schema. A fixture can be deleted if another fixture has the same data.

use super::TestFolder;
use contract::account::ClientInfo;
use contract::audit::{Action, Actor, AuditEvent};
use contract::filter::Search;
use contract::{AccountId, Field, FieldType, Filter, Metadata, PersonId};
use rusqlite::Connection;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use store::access::AccessStore as _;
use store::audit::AuditStore as _;
use store::{SessionProof, SessionRecord, Store};
use store_sqlite::SqliteStore;
use store_tests::fixtures::{self, at, submission};

/// If set, a missing fixture of the present schema is written.
const WRITE: &str = "SHEAF_WRITE_FIXTURES";
const APPLICATION_ID: i32 = 0x5368_6561;

/// Parts of a fixture: the tables with their rows, and other objects that may depend on them.
const TABLES: &str = "SELECT name, sql FROM sqlite_schema WHERE type = 'table'
    AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
const REST: &str = "SELECT name, sql FROM sqlite_schema WHERE type != 'table' AND sql NOT NULL
    ORDER BY rowid";

/// Returns the names and statements of all migrations.
fn read_migrations() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    files.iter().map(read).collect()
}

fn fixture_path(step: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{step}.sql"))
}

/// Inserts data of every kind into a store.
async fn fill_store(store: &SqliteStore) {
    store.insert_account(fixtures::account("acc_1", "owner@example.com")).await.unwrap();
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    let owner: AccountId = "acc_1".parse().unwrap();
    let person: PersonId = "psn_1".parse().unwrap();
    store.insert_link([1; 32], &person, at(10)).await.unwrap();
    let session = SessionRecord {
        token_hash: [2; 32],
        person_id: person,
        created_at: at(5),
        authenticated_at: at(5),
        last_used_at: at(6),
    };
    store.insert_session(session, ClientInfo::default(), SessionProof::Identity).await.unwrap();
    store.insert_key(&owner, fixtures::key("key_1"), [3; 32]).await.unwrap();
    store.insert_key(&owner, fixtures::key("key_2"), [4; 32]).await.unwrap();
    store.revoke_key(&owner, &"key_2".parse().unwrap(), at(7)).await.unwrap();
    let mut form = fixtures::form("acc_1", "frm_1");
    let field = |key: &str, kind| Field {
        id: format!("fld_{key}").parse().unwrap(),
        key: key.to_owned(),
        name: format!("The {key}"),
        kind,
        hidden: false,
    };
    form.form.fields = vec![field("answer", FieldType::LongText), field("age", FieldType::Number)];
    form.form.analysis = true;
    store.insert_form(form).await.unwrap();
    store.insert_form(fixtures::form("acc_2", "frm_2")).await.unwrap();
    let row = |n: i64| {
        let mut row = submission(&format!("sub_{n:02}"), n / 2, &format!("Straße {n}, \"x\"\n"));
        let utm = (n % 3 == 0).then(|| "google".to_owned());
        let submitted_at = row.metadata.submitted_at;
        row.metadata = Metadata { utm_source: utm, ..Metadata::at(submitted_at) };
        row
    };
    fixtures::insert_submissions(store, (0..30).map(row).collect()).await;
    store.delete_submission(&"sub_07".parse().unwrap()).await.unwrap();
    store.cursor_secret().await.unwrap();
    let event = AuditEvent::new(at(8), &Actor::system(), Action::KeyRevoked)
        .with_account(&owner)
        .with_object("key", &"key_2");
    store.write_audit(event.with_user_text("name", "Website")).await.unwrap();
}

/// Returns all answers of a store about the data of [`fill_store`], as text.
async fn store_answers(store: &SqliteStore) -> String {
    let accounts = store.list_accounts().await.unwrap();
    let owner = "acc_1".parse().unwrap();
    let other = "acc_2".parse().unwrap();
    let forms = (store.list_forms(&owner).await.unwrap(), store.list_forms(&other).await.unwrap());
    let keys = (store.list_keys(&owner).await.unwrap(), store.find_key([3; 32]).await.unwrap());
    let session = store.find_session([2; 32]).await.unwrap();
    let people = store.list_people(&owner).await.unwrap();
    let mut description =
        format!("{accounts:#?}\n{people:#?}\n{forms:#?}\n{keys:#?}\n{session:#?}");
    let google = Filter { utm_source: Some("google".to_owned()), ..Filter::default() };
    let search = Filter { search: Search::new("STRASSE 2").unwrap(), ..Filter::default() };
    for filter in [Filter::default(), google, search] {
        let page = fixtures::list_page(store, &filter, None, 100).await.unwrap();
        write!(description, "\n{page:#?}").unwrap();
    }
    description
}

/// Writes the fixture of the present schema.
async fn write_fixture(to: &Path) {
    let place = TestFolder::new();
    fill_store(&place.open()).await;
    std::fs::write(to, dump_sql(&Connection::open(place.file()).unwrap())).unwrap();
}

fn query_pairs(conn: &Connection, sql: &str) -> Vec<(String, String)> {
    let mut statement = conn.prepare(sql).unwrap();
    statement.query_map([], |row| row.try_into()).unwrap().map(Result::unwrap).collect()
}

fn list_columns(conn: &Connection, table: &str) -> Vec<String> {
    let sql = "SELECT name, '' FROM pragma_table_info(?)".replace('?', &format!("'{table}'"));
    query_pairs(conn, &sql).into_iter().map(|(name, _)| name).collect()
}

fn dump_sql(conn: &Connection) -> String {
    let mut parts = vec!["PRAGMA foreign_keys = OFF".to_owned()];
    parts.push(format!("PRAGMA application_id = {APPLICATION_ID}"));
    let tables = query_pairs(conn, TABLES);
    parts.extend(tables.iter().map(|(_, sql)| sql.clone()));
    for (table, _) in &tables {
        let values: Vec<_> =
            list_columns(conn, table).iter().map(|column| format!("quote({column})")).collect();
        let sql = format!("SELECT {}, '' FROM {table}", values.join(" || ', ' || "));
        let insert = |(values, _)| format!("INSERT INTO {table} VALUES ({values})");
        parts.extend(query_pairs(conn, &sql).into_iter().map(insert));
    }
    parts.extend(query_pairs(conn, REST).into_iter().map(|(_, sql)| sql));
    parts.iter().flat_map(|part| [part.as_str(), ";\n"]).collect()
}

#[tokio::test]
async fn earlier_schemas_migrate_with_all_data() {
    let steps = read_migrations();
    let new_place = TestFolder::new();
    let store = new_place.open();
    fill_store(&store).await;
    let expected = store_answers(&store).await;
    for (version, (name, _)) in (1_usize..).zip(&steps) {
        let fixture = fixture_path(name);
        if !fixture.exists() && version < steps.len() {
            continue;
        }
        if !fixture.exists() && std::env::var_os(WRITE).is_some() {
            write_fixture(&fixture).await;
        }
        let sql = std::fs::read_to_string(&fixture)
            .unwrap_or_else(|_| panic!("`{name}` has no fixture: run `cargo xtask fixture`"));
        let place = TestFolder::new();
        std::fs::create_dir(place.file().parent().unwrap()).unwrap();
        let old = Connection::open(place.file()).unwrap();
        old.execute_batch(&sql).unwrap();
        let sql = "SELECT COUNT(*), MAX(name) FROM schema_migrations";
        let is: (i64, String) = old.query_row(sql, [], |row| row.try_into()).unwrap();
        assert_eq!(
            is,
            (i64::try_from(version).unwrap(), name.clone()),
            "the fixture has another schema"
        );
        let sql = "SELECT value FROM secrets";
        let secret: [u8; 32] = old.query_row(sql, [], |row| row.get(0)).unwrap();
        drop(old);

        let store = place.open();
        assert_eq!(store_answers(&store).await, expected, "{name}");
        assert_eq!(store.cursor_secret().await.unwrap(), secret, "{name}: cursors are invalid");
        let found = store.find_link([1; 32], at(9)).await.unwrap();
        assert_eq!(found, Some("psn_1".parse().unwrap()), "{name}");
        fixtures::insert_submissions(
            &store,
            (0..100).map(|n| submission(&format!("sub_new_{n}"), 1, "x")).collect(),
        )
        .await;
        assert!(store.delete_submission(&"sub_08".parse().unwrap()).await.unwrap());
        drop(store);
        let report = store_sqlite::check(&place.file()).unwrap();
        assert_eq!((report.submissions, report.findings), (128, Vec::new()), "{name}");
        drop(place.open());
    }
}

#[tokio::test]
async fn old_texts_are_found_after_normalisation() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file().parent().unwrap()).unwrap();
    let old = Connection::open(place.file()).unwrap();
    let schema = std::fs::read_to_string(fixture_path("0010_identities")).unwrap();
    old.execute_batch(&schema).unwrap();
    let sql =
        "UPDATE submissions SET json = replace(json, 'Straße', 'Zoe\u{308}') WHERE id = 'sub_03'";
    assert_eq!(old.execute(sql, []).unwrap(), 1);
    let text = [b"zoe\xcc\x88 3, \"x\"\n".as_slice(), b"\xff"].concat();
    old.execute("UPDATE submission_texts SET text = ? WHERE id = 'sub_03'", [text]).unwrap();
    let sql = "UPDATE people SET email_folded = 'zoe\u{308}@example.com' WHERE id = 'psn_1'";
    assert_eq!(old.execute(sql, []).unwrap(), 1);
    drop(old);

    let store = place.open();
    let filter = fixtures::search_filter("Zoe\u{308}");
    let page = fixtures::list_page(&store, &filter, None, 10).await.unwrap();
    assert_eq!(page.rows.len(), 1);
    assert_eq!(page.rows[0].position.id.as_str(), "sub_03");
    for email in ["ZOË@example.com", "Zoe\u{308}@example.com"] {
        let person = store.find_person_by_email(email).await.unwrap().unwrap();
        assert_eq!(person.person.id.as_str(), "psn_1");
    }
    drop(store);
    assert_eq!(store_sqlite::check(&place.file()).unwrap().findings, Vec::<String>::new());
}

#[test]
fn migration_reads_time_of_done_from_history() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file().parent().unwrap()).unwrap();
    let old = Connection::open(place.file()).unwrap();
    old.execute_batch(&std::fs::read_to_string(fixture_path("0020_read_marks")).unwrap()).unwrap();
    for (id, at, triage) in [
        ("sub_02", 1, r#"{"status":"done","tags":["\"ü"]}"#),
        ("sub_04", 2, r#"{"status":"open","starred":true}"#),
        ("sub_06", 3, r#"{"status":"done"}"#),
    ] {
        old.execute("UPDATE submissions SET triage = ? WHERE id = ?", (triage, id)).unwrap();
        // The history of the last one was full, and has a tag that looks like the status.
        let changes = match id {
            "sub_06" => vec![r#"{"add_tags":["\"status\":\"done\""]}"#],
            _ => vec![r#"{"status":"done"}"#, r#"{"status":"done"}"#, r#"{"starred":true}"#],
        };
        for (place, change) in (1..).zip(changes) {
            let sql = "INSERT INTO triage_history
                         (form, submitted_at, submission, place, at, person, change)
                       VALUES (1, ?, ?, ?, ?, 'psn_1', ?)";
            old.execute(sql, (at, id, place, 50 + place, change)).unwrap();
        }
    }
    let sql = "INSERT INTO notes (form, submitted_at, submission, id, text, created_at, edited_at)
               VALUES (1, 2, 'sub_04', 'note_1', 'x', 60, 61), (1, 2, 'sub_04', 'note_2', 'x', 60, NULL),
                 (1, 4, 'sub_08', 'note_1', 'x', 62, NULL)";
    old.execute_batch(sql).unwrap();
    drop(old);
    drop(place.open());
    let sql = "SELECT id, triage FROM submissions WHERE triage NOT NULL ORDER BY id";
    let triage = query_pairs(&Connection::open(place.file()).unwrap(), sql);
    let expected = [
        ("sub_02", r#"{"status":"done","tags":["\"ü"],"done_at":52,"updated_at":53}"#),
        ("sub_04", r#"{"status":"open","starred":true,"updated_at":61}"#),
        ("sub_06", r#"{"status":"done","updated_at":51}"#),
        ("sub_08", r#"{"status":"open","updated_at":62}"#),
    ];
    assert_eq!(triage, expected.map(|(id, triage)| (id.to_owned(), triage.to_owned())));
}

#[test]
fn check_names_schema_of_other_version() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file().parent().unwrap()).unwrap();
    let file = Connection::open(place.file()).unwrap();
    file.execute_batch(&std::fs::read_to_string(fixture_path("0018_delivery_queues")).unwrap())
        .unwrap();
    let error = store_sqlite::check(&place.file()).unwrap_err().to_string();
    assert!(error.contains("has schema 18") && error.contains("checks only schema"), "{error}");

    // Without the row of its last step, the file is damaged.
    file.execute("DELETE FROM schema_migrations WHERE version = 18", []).unwrap();
    let report = store_sqlite::check(&place.file()).unwrap();
    assert!(report.findings[0].contains("`webhooks` has been changed"), "{:?}", report.findings);

    let place = TestFolder::new();
    drop(place.open());
    let file = Connection::open(place.file()).unwrap();
    let newer = i64::try_from(read_migrations().len()).unwrap() + 1;
    file.execute("INSERT INTO schema_migrations VALUES (?, 'later', x'00')", [newer]).unwrap();
    let error = store_sqlite::check(&place.file()).unwrap_err().to_string();
    assert!(error.contains(&format!("has schema {newer}")), "{error}");
}
