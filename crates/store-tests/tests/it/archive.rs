//! Dump and restore between stores of both kinds, with a comparison of all data.

mod damaged;
mod refused;
mod rich;

use crate::place::{self, Folder, Place, database};
use contract::Submission;
use rich::{answers, fill};
use store::archive::{Progress, Stage, TableSum};
use store::{Import, ImportSource, Result, Store, StoreError};
use store_postgres::{PostgresStore, Setup};
use store_sqlite::{AuditReport, SqliteStore};
use store_tests::make::{self, at, form_id, submission};

/// Storage of either kind for one test.
enum Home {
    File(Folder),
    Database(String),
}

impl Home {
    fn file() -> Self {
        Self::File(Folder::new())
    }

    fn database() -> Self {
        Self::Database(database())
    }

    fn place(&self) -> Place {
        match self {
            Self::File(place) => Place::Sqlite(place.file()),
            Self::Database(url) => Place::Postgres(Setup::of(url)),
        }
    }

    async fn open(&self) -> Box<dyn Store> {
        match self {
            Self::File(place) => Box::new(SqliteStore::open(&place.file()).unwrap()),
            Self::Database(url) => Box::new(PostgresStore::open(&Setup::of(url)).await.unwrap()),
        }
    }
}

impl Home {
    /// Verifies the audit log.
    async fn verify(&self) -> AuditReport {
        match self {
            Self::File(place) => store_sqlite::verify(&place.file(), Vec::new()).unwrap(),
            Self::Database(url) => {
                let store = PostgresStore::open(&Setup::of(url)).await.unwrap();
                store.verify(Vec::new()).await.unwrap()
            }
        }
    }
}

async fn dump(from: &Home) -> (Vec<TableSum>, Vec<u8>) {
    place::dump(&from.place(), Vec::new(), at(77), |_| ()).await.unwrap()
}

async fn restore(archive: &[u8], to: &Home) -> Result<Vec<TableSum>> {
    place::restore(archive, &to.place(), |_| ()).await
}

fn rows(sums: &[TableSum], table: &str) -> u64 {
    sums.iter().find(|sum| sum.table == table).unwrap().rows
}

/// Dumps a store with data of every kind, and restores it twice: the second time from a dump of the
/// first restored store.
async fn check(from: Home, through: Home, to: Home) {
    fill(&*from.open().await).await;
    let expected = answers(&*from.open().await).await;
    let (sums, archive) = dump(&from).await;
    for sum in &sums {
        assert!(sum.rows > 0, "the dump has no rows of `{}`", sum.table);
    }
    assert_eq!(restore(&archive, &through).await.unwrap(), sums);
    assert_eq!(answers(&*through.open().await).await, expected);
    let (again, archive) = dump(&through).await;
    assert_eq!(again, sums);
    restore(&archive, &to).await.unwrap();
    let store = to.open().await;
    assert_eq!(answers(&*store).await, expected);
    assert_eq!(dump(&from).await.0, sums, "the source was changed");
    rich::goes_on(&*store).await;
    drop(store);
    let report = to.verify().await;
    assert!(report.chains.len() >= 2);
    assert!(report.chains.iter().all(|chain| chain.finding.is_none()), "{report:?}");
}

#[tokio::test]
async fn file_is_restored_to_file_and_database() {
    check(Home::file(), Home::file(), Home::database()).await;
}

#[tokio::test]
async fn database_is_restored_to_database_and_file() {
    check(Home::database(), Home::database(), Home::file()).await;
}

#[tokio::test]
async fn restored_file_is_valid_and_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let (from, to) = (Home::file(), Folder::new());
    fill(&*from.open().await).await;
    let archive = dump(&from).await.1;
    place::restore(&archive[..], &Place::Sqlite(to.file()), |_| ()).await.unwrap();
    let report = store_sqlite::check(&to.file()).unwrap();
    assert_eq!(report.findings, [""; 0]);
    let folder = to.file().parent().unwrap().to_owned();
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap()).collect();
    let names: Vec<_> = files.iter().map(std::fs::DirEntry::file_name).collect();
    assert_eq!(names, ["sheaf.db"]);
    assert_eq!(files[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn many_and_large_forms_are_restored() {
    let (from, to) = (Home::file(), Home::database());
    let store = from.open().await;
    make::owner_and_form(&*store).await;
    let large = (0..12_000).map(|n| submission(&format!("sub_{n}"), n / 3, &"x".repeat(700)));
    make::insert(&*store, large.collect()).await;
    for n in 0..150 {
        store.insert_form(make::form("acc_1", &format!("frm_s{n}"))).await.unwrap();
        let form = format!("frm_s{n}").parse().unwrap();
        let one = Submission { form_id: form, ..submission(&format!("sub_s{n}"), n, "y") };
        let source = make::source(vec![one.clone()]);
        store.insert_submissions(&one.form_id, Vec::new(), source).await.unwrap();
    }
    let mut reached = Vec::new();
    let told = |it: Progress| reached.push(it);
    let (sums, archive) = place::dump(&from.place(), Vec::new(), at(1), told).await.unwrap();
    assert_eq!((rows(&sums, "submissions"), rows(&sums, "forms")), (12_150, 151));
    let told = |it: Progress| reached.push(it);
    place::restore(&archive[..], &to.place(), told).await.unwrap();
    for stage in [Stage::Dumping, Stage::Restoring, Stage::Verifying] {
        let its: Vec<_> = reached.iter().filter(|it| it.stage == stage).collect();
        assert!(its.iter().all(|it| it.total == 12_150), "{stage:?}");
        assert!(its.iter().map(|it| it.done).is_sorted());
        assert_eq!(its.last().map(|it| it.done), Some(12_150), "{stage:?}");
    }
    let form = to.open().await.find_form(&form_id()).await.unwrap().unwrap();
    assert_eq!(form.form.submission_count, 12_000);
}

#[tokio::test]
async fn empty_store_is_restored() {
    for (from, to) in [(Home::file(), Home::database()), (Home::database(), Home::file())] {
        drop(from.open().await);
        restore(&dump(&from).await.1, &to).await.unwrap();
        make::owner_and_form(&*to.open().await).await;
    }
}

/// An archive is a snapshot of a store in use: later writes are not in it.
#[tokio::test]
async fn dump_of_live_store_is_snapshot() {
    for home in [Home::file(), Home::database()] {
        let store = home.open().await;
        fill(&*store).await;
        let (expected, _) = dump(&home).await;
        let place = home.place();
        let mut writes = Some(move || {
            // Another server process that writes during the dump.
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let store: Box<dyn Store> = match place {
                    Place::Sqlite(file) => Box::new(SqliteStore::open(&file).unwrap()),
                    Place::Postgres(setup) => Box::new(PostgresStore::open(&setup).await.unwrap()),
                };
                make::insert(&*store, vec![submission("sub_later", 3, "later")]).await;
                assert!(store.delete_submission(&"sub_03".parse().unwrap()).await.unwrap());
                assert!(
                    store
                        .revoke_key(&make::owner().account_id, &"key_1".parse().unwrap(), at(9))
                        .await
                        .unwrap()
                );
            });
        });
        let told = |_: Progress| {
            if let Some(writes) = writes.take() {
                std::thread::spawn(writes).join().unwrap();
            }
        };
        let (sums, _) = place::dump(&home.place(), Vec::new(), at(1), told).await.unwrap();
        assert_eq!(sums, expected);
        assert_ne!(dump(&home).await.0, expected);
    }
}

/// Returns the source of an import that dies after some chunks.
fn dies() -> ImportSource {
    Box::new(|_| {
        let end = std::iter::once_with(|| panic!("killed by the test"));
        let rows = (0..2200).map(|n| Ok(submission(&format!("sub_i{n}"), n, "z")));
        Ok(Box::new(rows.chain(end)))
    })
}

#[tokio::test]
async fn unfinished_import_is_not_dumped() {
    for (from, to) in [(Home::file(), Home::database()), (Home::database(), Home::file())] {
        let store = from.open().await;
        make::owner_and_form(&*store).await;
        make::insert(&*store, vec![submission("sub_1", 1, "x")]).await;
        let import =
            Import { fingerprint: [1; 32], fields: Vec::new(), began_at: at(1), inserted: 0 };
        let died = store.import_submissions(&form_id(), import, dies()).await;
        assert!(matches!(died, Err(StoreError::Database(_))));
        let sums = restore(&dump(&from).await.1, &to).await.unwrap();
        assert_eq!(rows(&sums, "submissions"), 1);
    }
}

#[tokio::test]
async fn deleted_form_is_not_dumped() {
    for (from, to) in [(Home::file(), Home::database()), (Home::database(), Home::file())] {
        let store = from.open().await;
        fill(&*store).await;
        assert!(store.delete_form(&form_id()).await.unwrap());
        // Its rows are removed later, in chunks.
        let sums = restore(&dump(&from).await.1, &to).await.unwrap();
        assert_eq!(rows(&sums, "accounts"), 2);
        assert_eq!(to.open().await.list_accounts().await.unwrap().len(), 2);
        assert_eq!((rows(&sums, "forms"), rows(&sums, "submissions")), (2, 2));
        assert_eq!(rows(&sums, "fields"), 0);
    }
}
