//! TLS to a database, by `sslmode`.

use super::open::{database_name, open_error};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::path::PathBuf;
use store_postgres::{PostgresStore, Setup};
use test_servers::Postgres;

/// Starts a cluster with a certificate for `localhost`. Also returns the file of its authority.
fn start_tls_cluster() -> (Postgres, tempfile::TempDir, PathBuf) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let named = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = named.signed_by(&key, &authority).unwrap();
    let cluster = Postgres::start(&["fsync=off"]).unwrap();
    for (file, pem) in [("server.crt", certificate.pem()), ("server.key", key.serialize_pem())] {
        let write = format!(
            "COPY (SELECT string_to_table('{}', E'\\n')) TO PROGRAM 'umask 077; cat > {file}'",
            pem.trim()
        );
        cluster.run_sql("postgres", &write).unwrap();
    }
    cluster.run_sql("postgres", "ALTER SYSTEM SET ssl = on").unwrap();
    cluster.run_sql("postgres", "SELECT pg_reload_conf()").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    std::fs::write(&file, authority.pem()).unwrap();
    (cluster, folder, file)
}

#[tokio::test]
async fn each_sslmode_verifies_as_documented() {
    let (cluster, folder, authority) = start_tls_cluster();
    let url = cluster.create_database().unwrap();
    let by_name = url.replace("127.0.0.1", "localhost");
    let setup = |url: &str, mode: &str, authority: Option<&PathBuf>| Setup {
        ca_file: authority.cloned(),
        ..Setup::with_defaults(&format!("{url}?sslmode={mode}"))
    };
    let own_ca = Some(&authority);
    for (url, mode, authority, is_encrypted) in [
        (&url, "disable", None, "f"),
        (&url, "prefer", None, "t"),
        (&url, "require", None, "t"),
        (&url, "verify-ca", own_ca, "t"),
        (&by_name, "verify-full", own_ca, "t"),
        (&by_name, "require", own_ca, "t"),
    ] {
        let store = PostgresStore::open(&setup(url, mode, authority)).await.unwrap();
        store.check_writable().await.unwrap();
        let ssl_sql = "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                    WHERE application_name = 'sheaf'";
        assert_eq!(cluster.run_sql(database_name(url), ssl_sql).unwrap(), is_encrypted, "{mode}");
        drop(store);
        let terminate_sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                    WHERE application_name = 'sheaf'";
        cluster.run_sql(database_name(url), terminate_sql).unwrap();
    }
    for (url, mode, authority) in
        [(&by_name, "verify-full", None), (&url, "verify-full", own_ca), (&url, "verify-ca", None)]
    {
        let sentence = open_error(&setup(url, mode, authority)).await;
        assert!(sentence.contains("TLS verification of the database"), "{mode}: {sentence}");
    }
    let empty_file = folder.path().join("none.pem");
    std::fs::write(&empty_file, "nothing").unwrap();
    for path in [empty_file, folder.path().join("absent.pem")] {
        let sentence = open_error(&setup(&by_name, "verify-full", Some(&path))).await;
        assert!(sentence.contains("name one with the certificate"), "{sentence}");
    }
}

#[tokio::test]
async fn required_tls_without_server_support_fails() {
    let sentence =
        open_error(&Setup::with_defaults(&format!("{}?sslmode=require", super::create_database())))
            .await;
    assert!(sentence.contains("does not support TLS"), "{sentence}");
}
