//! Dump and restore between stores of both kinds, with a comparison of all data.

mod damaged;
mod full_dataset;
mod older;
mod refused;

use crate::location::{self, Location, TempFolder, create_database, prepared_database};
use contract::Submission;
use full_dataset::{all_answers, fill_store};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use store::archive::{Progress, Stage, TableSum};
use store::{Import, ImportSource, Result, Store, StoreError};
use store_postgres::{PostgresStore, Setup};
use store_sqlite::{AuditReport, SqliteStore};
use store_tests::fixtures::{self, at, form_id, submission};

/// Storage of either kind for one test.
enum TestStore {
    File(TempFolder),
    Database(String),
}

impl TestStore {
    fn file() -> Self {
        Self::File(TempFolder::new())
    }

    /// An empty database.
    fn database() -> Self {
        Self::Database(create_database())
    }

    /// A database with the newest schema and no data, which takes less time to open.
    fn prepared() -> Self {
        Self::Database(prepared_database())
    }

    fn location(&self) -> Location {
        match self {
            Self::File(place) => Location::Sqlite(place.file()),
            Self::Database(url) => Location::Postgres(Setup::with_defaults(url)),
        }
    }

    async fn open(&self) -> Box<dyn Store> {
        match self {
            Self::File(place) => {
                let prepare = |file: &Path| drop(SqliteStore::open(file).unwrap());
                test_servers::copy_prepared_file(&place.file(), prepare).unwrap();
                Box::new(SqliteStore::open(&place.file()).unwrap())
            }
            Self::Database(url) => {
                Box::new(PostgresStore::open(&Setup::with_defaults(url)).await.unwrap())
            }
        }
    }
}

impl TestStore {
    /// Verifies the audit log.
    async fn verify_audit(&self) -> AuditReport {
        match self {
            Self::File(place) => store_sqlite::verify(&place.file(), Vec::new()).unwrap(),
            Self::Database(url) => {
                let store = PostgresStore::open(&Setup::with_defaults(url)).await.unwrap();
                store.verify(Vec::new()).await.unwrap()
            }
        }
    }
}

async fn dump(from: &TestStore) -> (Vec<TableSum>, Vec<u8>) {
    location::dump(&from.location(), Vec::new(), at(77), |_| ()).await.unwrap()
}

async fn restore(archive: &[u8], to: &TestStore) -> Result<Vec<TableSum>> {
    location::restore(archive, &to.location(), |_| ()).await
}

fn count_rows(sums: &[TableSum], table: &str) -> u64 {
    sums.iter().find(|sum| sum.table == table).unwrap().rows
}

/// Dumps a store with data of every kind, and restores it twice: the second time from a dump of the
/// first restored store.
async fn check_round_trip(from: TestStore, through: TestStore, to: TestStore) {
    fill_store(&*from.open().await).await;
    let expected = all_answers(&*from.open().await).await;
    let (sums, archive) = dump(&from).await;
    for sum in &sums {
        assert!(sum.rows > 0, "the dump has no rows of `{}`", sum.table);
    }
    assert_eq!(restore(&archive, &through).await.unwrap(), sums);
    if let TestStore::File(place) = &through {
        check_restored_file(&place.file());
    }
    assert_eq!(all_answers(&*through.open().await).await, expected);
    let (again, archive) = dump(&through).await;
    assert_eq!(again, sums);
    restore(&archive, &to).await.unwrap();
    let store = to.open().await;
    assert_eq!(all_answers(&*store).await, expected);
    assert_eq!(dump(&from).await.0, sums, "the source was changed");
    full_dataset::check_continuation(&*store).await;
    drop(store);
    let report = to.verify_audit().await;
    assert!(report.chains.len() >= 2);
    assert!(report.chains.iter().all(|chain| chain.finding.is_none()), "{report:?}");
}

/// Checks that a restored file is valid, private and alone.
fn check_restored_file(file: &Path) {
    let report = store_sqlite::check(file).unwrap();
    assert_eq!(report.findings, [""; 0]);
    let files: Vec<_> =
        std::fs::read_dir(file.parent().unwrap()).unwrap().map(|it| it.unwrap()).collect();
    let names: Vec<_> = files.iter().map(std::fs::DirEntry::file_name).collect();
    assert_eq!(names, ["sheaf.db"]);
    assert_eq!(files[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn file_is_restored_to_file_and_database() {
    check_round_trip(TestStore::file(), TestStore::file(), TestStore::database()).await;
}

#[tokio::test]
async fn database_is_restored_to_database_and_file() {
    check_round_trip(TestStore::prepared(), TestStore::database(), TestStore::file()).await;
}

#[tokio::test]
async fn many_and_large_forms_are_restored() {
    let from = TestStore::file();
    let to = TestStore::database();
    let store = from.open().await;
    fixtures::owner_and_form(&*store).await;
    // Together more bytes than a restore writes at once.
    let (rows, length, forms) =
        if test_servers::is_full_run() { (6000_u32, 700, 150_u32) } else { (1200, 4500, 40) };
    let answer = "x".repeat(length);
    let large = (0..rows).map(|n| submission(&format!("sub_{n}"), i64::from(n / 3), &answer));
    fixtures::insert_submissions(&*store, large.collect()).await;
    for n in 0..forms {
        store.insert_form(fixtures::form("acc_1", &format!("frm_s{n}"))).await.unwrap();
        let form = format!("frm_s{n}").parse().unwrap();
        let one =
            Submission { form_id: form, ..submission(&format!("sub_s{n}"), i64::from(n), "y") };
        let source = fixtures::submission_source(vec![one.clone()]);
        store.insert_submissions(&one.form_id, Vec::new(), source).await.unwrap();
    }
    let mut reached = Vec::new();
    let report = |it: Progress| reached.push(it);
    let (sums, archive) =
        location::dump(&from.location(), Vec::new(), at(1), report).await.unwrap();
    let total = u64::from(rows + forms);
    assert_eq!(count_rows(&sums, "submissions"), total);
    assert_eq!(count_rows(&sums, "forms"), u64::from(forms + 1));
    let report = |it: Progress| reached.push(it);
    location::restore(&archive[..], &to.location(), report).await.unwrap();
    for stage in [Stage::Dumping, Stage::Restoring, Stage::Verifying] {
        let its: Vec<_> = reached.iter().filter(|it| it.stage == stage).collect();
        assert!(its.iter().all(|it| it.total == total), "{stage:?}");
        assert!(its.iter().map(|it| it.done).is_sorted());
        assert_eq!(its.last().map(|it| it.done), Some(total), "{stage:?}");
    }
    let form = to.open().await.find_form(&form_id()).await.unwrap().unwrap();
    assert_eq!(form.form.submission_count, u64::from(rows));
}

/// A submission with the longest archive JSON that an import admits is restored.
#[tokio::test]
async fn submission_of_control_characters_is_restored() {
    let (from, to) = (TestStore::file(), TestStore::file());
    let store = from.open().await;
    fixtures::owner_and_form(&*store).await;
    let long = submission("sub_1", 1, &"\u{1}".repeat(3 << 20));
    fixtures::insert_submissions(&*store, vec![long]).await;
    restore(&dump(&from).await.1, &to).await.unwrap();
    assert_eq!(fixtures::count_all(&*to.open().await).await, 1);
}

#[tokio::test]
async fn empty_store_is_restored() {
    for (from, to) in
        [(TestStore::file(), TestStore::database()), (TestStore::prepared(), TestStore::file())]
    {
        drop(from.open().await);
        restore(&dump(&from).await.1, &to).await.unwrap();
        fixtures::owner_and_form(&*to.open().await).await;
    }
}

/// An archive is a snapshot of a store in use: later writes are not in it.
#[tokio::test]
async fn dump_of_live_store_is_snapshot() {
    for home in [TestStore::file(), TestStore::prepared()] {
        let store = home.open().await;
        fill_store(&*store).await;
        let (expected, _) = dump(&home).await;
        let place = home.location();
        let mut writes = Some(move || {
            // Another server process that writes during the dump.
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let store: Box<dyn Store> = match place {
                    Location::Sqlite(file) => Box::new(SqliteStore::open(&file).unwrap()),
                    Location::Postgres(setup) => {
                        Box::new(PostgresStore::open(&setup).await.unwrap())
                    }
                };
                fixtures::insert_submissions(&*store, vec![submission("sub_later", 3, "later")])
                    .await;
                assert!(store.delete_submission(&"sub_03".parse().unwrap()).await.unwrap());
                assert!(
                    store
                        .revoke_key(&fixtures::owner().account_id, &"key_1".parse().unwrap(), at(9))
                        .await
                        .unwrap()
                );
            });
        });
        let report = |_: Progress| {
            if let Some(writes) = writes.take() {
                std::thread::spawn(writes).join().unwrap();
            }
        };
        let (sums, _) = location::dump(&home.location(), Vec::new(), at(1), report).await.unwrap();
        assert_eq!(sums, expected);
        assert_ne!(dump(&home).await.0, expected);
    }
}

/// Returns the source of an import that dies after some chunks.
fn dying_source() -> ImportSource {
    Box::new(|_| {
        let end = std::iter::once_with(|| panic!("killed by the test"));
        let rows = (0..2200).map(|n| Ok(submission(&format!("sub_i{n}"), n, "z")));
        Ok(Box::new(rows.chain(end)))
    })
}

#[tokio::test]
async fn unfinished_import_is_not_dumped() {
    for (from, to) in
        [(TestStore::file(), TestStore::prepared()), (TestStore::prepared(), TestStore::file())]
    {
        let store = from.open().await;
        fixtures::owner_and_form(&*store).await;
        fixtures::insert_submissions(&*store, vec![submission("sub_1", 1, "x")]).await;
        let import =
            Import { fingerprint: [1; 32], fields: Vec::new(), began_at: at(1), inserted: 0 };
        let died = store.import_submissions(&form_id(), import, dying_source()).await;
        assert!(matches!(died, Err(StoreError::Database(_))));
        let sums = restore(&dump(&from).await.1, &to).await.unwrap();
        assert_eq!(count_rows(&sums, "submissions"), 1);
    }
}

#[tokio::test]
async fn deleted_form_is_not_dumped() {
    for (from, to) in
        [(TestStore::file(), TestStore::prepared()), (TestStore::prepared(), TestStore::file())]
    {
        let store = from.open().await;
        fill_store(&*store).await;
        assert!(store.delete_form(&form_id()).await.unwrap());
        // Its rows are removed later, in chunks.
        let sums = restore(&dump(&from).await.1, &to).await.unwrap();
        assert_eq!(count_rows(&sums, "accounts"), 2);
        assert_eq!(to.open().await.list_accounts().await.unwrap().len(), 2);
        assert_eq!((count_rows(&sums, "forms"), count_rows(&sums, "submissions")), (2, 2));
        assert_eq!(count_rows(&sums, "fields"), 0);
    }
}
