//! `store copy`: copies everything from one store to another.

use std::path::Path;
use std::sync::Arc;

use intermezzo_store::{
    Append, CommitOutcome, Due, Expect, MatchId, Put, SqliteStore, Store as _, SystemClock, Transaction,
};
use intermezzo_test_postgres::{PostgresCluster, PostgresClusterError, SharedPostgres};

use crate::{folder, intermezzo, repository, run_with, text};

fn filled(place: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let store = SqliteStore::open(place, Arc::new(SystemClock)).expect("it can be opened");
        let append =
            Append { match_id: MatchId(7), expected: 0, rows: vec![b"a".to_vec(); 3], due: Due::At(5) };
        let put = Put { key: "k".to_owned(), expect: Expect::Absent, value: Some(b"v".to_vec()) };
        let transaction = Transaction { appends: vec![append], puts: vec![put], snapshots: Vec::new() };
        assert_eq!(store.commit(transaction).await, CommitOutcome::Committed);
        store.close().await;
    });
}

#[test]
fn a_store_is_copied_into_a_database_and_back() {
    let folder = folder("storing");
    let (first, last) = (folder.join("first"), folder.join("last"));
    filled(&first);
    let (first, last) = (first.display().to_string(), last.display().to_string());
    let all = "copied 1 matches with 3 rows, 1 records";
    match SharedPostgres::find_or_start().expect("PostgreSQL starts if it is installed") {
        Some(shared) => {
            let names = ["storing".to_owned()];
            let url = &shared.create_schemas(&names).expect("a schema can be made")[0];
            intermezzo(&["store", "copy", &first, url]).exits(0).says(all);
            intermezzo(&["store", "copy", &first, url]).exits(3).says("the store to copy to is not empty");
            intermezzo(&["store", "copy", url, &last]).exits(0).says(all);
            shared.remove_schemas(&names).expect("a schema can be removed");
        }
        None => drop(intermezzo(&["store", "copy", &first, &last]).exits(0).says(all)),
    }
    let again = folder.join("again").display().to_string();
    intermezzo(&["store", "copy", &last, &again]).exits(0).says(all);
}

#[test]
fn connections_to_a_remote_database_are_encrypted() {
    let folder = folder("storing-encrypted");
    filled(&folder.join("first"));
    let first = folder.join("first").display().to_string();
    let mut cluster = match PostgresCluster::start() {
        Ok(cluster) => cluster,
        Err(PostgresClusterError::Missing(why)) => return println!("skipped: {why}"),
        Err(failed) => panic!("{failed}"),
    };
    let (url, certificate) = cluster.listen_encrypted().expect("a certificate can be made");
    let copy = |to: &str, environment: &[(&str, &str)]| {
        run_with(&repository(), &["store", "copy", &first, to], "", environment)
    };
    let (encrypted, trusting) = (format!("{url}?sslmode=require"), [("SSL_CERT_FILE", text(&certificate))]);
    copy(&url, &trusting).exits(3).says("no encryption");
    copy(&encrypted, &[]).exits(3).says("invalid peer certificate");
    copy(&encrypted.replace("localhost", "127.0.0.1"), &trusting).exits(3).says("not valid for name");
    copy(&encrypted, &trusting).exits(0).says("copied 1 matches with 3 rows");
}

#[test]
fn a_missing_store_is_not_copied() {
    let folder = folder("storing-nothing");
    let (empty, to) = (folder.display().to_string(), folder.join("to").display().to_string());
    intermezzo(&["store", "copy", &empty, &to]).exits(3).says("the folder contains no store");
    assert!(!folder.join("to").exists());
}
