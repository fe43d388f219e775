//! `store copy`: copies everything from one store to another.

use std::path::Path;
use std::sync::Arc;

use intermezzo_store::{
    Append, CommitOutcome, Due, Expect, MatchId, Put, SqliteStore, Store as _, SystemClock, Transaction,
};
use intermezzo_test_postgres::{PostgresCluster, PostgresClusterError, SharedPostgres};

use crate::serve::{RunningServer, question, start_duel, text_of};
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
fn a_backup_is_taken_while_the_server_works_and_restored() {
    let folder = folder("storing-backup");
    let (data, copy) = (folder.join("data"), folder.join("copy"));
    let args = |data: &Path| {
        let flags =
            ["--listen", "127.0.0.1:0", "--accounts-per-minute", "100000", "--address-per-second", "100000"];
        ["--data", text(data)].into_iter().chain(flags).map(str::to_owned).collect::<Vec<String>>()
    };
    let start = |data: &Path| {
        let args = args(data);
        RunningServer::start(&folder, &args.iter().map(String::as_str).collect::<Vec<_>>(), &[])
    };
    let server = start(&data);
    let new_account = |server: &RunningServer| {
        let (status, account) = server.send("POST /accounts", "", "{}");
        assert_eq!(status, 201, "{account}");
        text_of(&account, "token")
    };
    // Attacks without damage never end a duel.
    let (id, players) = start_duel(&server, "{\"prep_ms\":86400000,\"damage\":0}");
    let play_round = |server: &RunningServer| {
        let (_, number) = question(server, &id, &players[0]);
        for player in &players {
            let path = format!("POST /matches/{id}/inputs/{number}");
            let (status, body) =
                server.send(&path, player, "{\"answers\":[\"attack\",\"defense\",\"heal\"]}");
            assert_eq!(status, 200, "{body}");
        }
        number.parse::<u32>().expect("a question has a number")
    };
    let (before, stop) = (std::sync::Mutex::new(Vec::new()), std::sync::atomic::AtomicBool::new(false));
    let acknowledged = std::thread::scope(|scope| {
        // Writes go on before, during and after the backup.
        let load = scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let written = (new_account(&server), play_round(&server));
                before.lock().expect("no writer panicked").push(written);
            }
        });
        while before.lock().expect("no writer panicked").len() < 5 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let acknowledged = before.lock().expect("no writer panicked").clone();
        intermezzo(&["store", "backup", text(&data), text(&copy)]).exits(0).says("backed up");
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        load.join().expect("every account was created");
        acknowledged
    });
    server.end("-TERM");
    let restored = start(&copy);
    // The backup may lie between the two answers of a round; the second player is asked in any case.
    let (_, number) = question(&restored, &id, &players[1]);
    let asked = number.parse::<u32>().expect("a question has a number");
    for (token, round) in acknowledged {
        assert_eq!(restored.send("GET /me", &token, "").0, 200, "an acknowledged account is in the backup");
        assert!(round < asked, "the answers of round {round} are in the backup");
    }
    new_account(&restored);
    let answer = format!("POST /matches/{id}/inputs/{number}");
    let (status, body) =
        restored.send(&answer, &players[1], "{\"answers\":[\"attack\",\"defense\",\"heal\"]}");
    assert_eq!(status, 200, "the match goes on: {body}");
    restored.end("-TERM");
    intermezzo(&["admin", "rows", &id, "--data", text(&copy)]).exits(0);
    intermezzo(&["admin", "audit", "--data", text(&copy)]).exits(0);
    intermezzo(&["store", "backup", text(&data), text(&copy)]).exits(3).says("exists; give a new folder");
    let nothing = folder.join("nothing");
    let elsewhere = folder.join("elsewhere");
    intermezzo(&["store", "backup", text(&nothing), text(&elsewhere)])
        .exits(3)
        .says("the folder contains no store");
    assert!(!elsewhere.exists());
}

#[test]
fn a_missing_store_is_not_copied() {
    let folder = folder("storing-nothing");
    let (empty, to) = (folder.display().to_string(), folder.join("to").display().to_string());
    intermezzo(&["store", "copy", &empty, &to]).exits(3).says("the folder contains no store");
    assert!(!folder.join("to").exists());
}
