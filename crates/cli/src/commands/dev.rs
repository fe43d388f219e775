//! `intermezzo dev`: a server with a playground for the ruleset that is being written.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use intermezzo_server::{Config, LogFormat, ServerError};

use crate::Context;
use crate::commands::serve::bundled;
use crate::failure::{Exit, Failure};
use crate::out::{GOOD, say};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo dev                                the ruleset in this folder
  intermezzo dev my-game --port 9000
  intermezzo dev my-game --no-open              only say where it is
  intermezzo dev my-game --data ./matches       keep accounts and matches, which are forgotten else

The playground writes files of the folder, so it is for this machine alone: it listens on 127.0.0.1.
The page has an editor with checks and completion, a match in which you play every seat, and the
scenarios. What it talks to is in docs/playground.md, for editors and tools of your own.")]
pub(crate) struct Dev {
    /// The folder of the ruleset
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Where to listen on 127.0.0.1; 0 for any free port
    #[arg(long, value_name = "PORT", default_value_t = 8090)]
    port: u16,
    /// Do not open the page in a browser
    #[arg(long)]
    no_open: bool,
    /// Where accounts and matches are kept [default: nowhere]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Dev {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let mut config = Config {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)),
            data: self.data.clone(),
            workshop: Some(self.folder.clone()),
            ..Config::default()
        };
        // One author with an editor that checks while they type is no flood.
        config.limits.address_per_second = 2000;
        config.limits.accounts_per_minute = 1000;
        let out = &mut context.out;
        let ran = intermezzo_server::run(config, bundled(), LogFormat::Text, |address| {
            let page = format!("http://{address}/#/playground");
            say!(out, "{GOOD}ready{GOOD:#} on {page}");
            out.flush();
            if !self.no_open {
                open(&page);
            }
        });
        ran.map_err(|error| match &error {
            ServerError::Workshop(_) => Failure::usage(error.to_string())
                .hint("name the folder of a ruleset, or make one with `intermezzo new DIR`"),
            ServerError::Listen { error: cause, .. } => {
                Failure::new(Exit::Unreadable, format!("cannot listen on port {}: {cause}", self.port))
                    .hint("choose another with --port; 0 means any that is free")
            }
            _ => Failure::new(Exit::Unreadable, error),
        })?;
        Ok(Exit::Fine)
    }
}

/// Opens a page in the browser, if there is one. The address has been printed, so nothing is lost where there is none.
fn open(page: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = || Stdio::null();
    let mut opening = Command::new(program);
    let opening = opening.args(first).arg(page);
    let _ = opening.stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
