//! The rulesets that laws are tried on: small ones made for the purpose, and all real ones.

use std::io;
use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::{Extras, Ruleset, render};
use intermezzo_engine::{Datum, Text};
use intermezzo_ruleset::Program;

/// A ruleset to try something on.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What messages call it.
    pub name: String,
    /// Its files: name and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// The program it becomes.
    pub program: Arc<Program>,
    /// Options that every other match is tried with.
    pub options: Vec<(Text, Datum)>,
    /// Laws look at no longer matches than this, if it is said.
    pub max_inputs: Option<u32>,
}

macro_rules! toys {
    ($($name:literal),*; $($trial:literal),*) => {
        &[
            $(($name, include_str!(concat!("../rulesets/", $name, ".yaml"))),)*
            $(($trial, include_str!(concat!("../../scenario/trials/", $trial, "/ruleset.yaml"))),)*
        ]
    };
}

/// Small rulesets that between them use everything the machine has.
pub const TOYS: &[(&str, &str)] = toys!(
    "cloak",
    "corners",
    "dice",
    "echoes",
    "garden",
    "hands",
    "leaving",
    "ledger",
    "parcels",
    "questions",
    "veil";
    "alternatives",
    "apnap",
    "asking",
    "batches",
    "chosen",
    "draws",
    "groups",
    "limits",
    "modifiers",
    "paths",
    "reactions",
    "renewing",
    "settling",
    "stack",
    "traits",
    "waiting"
);

/// The printed rules of the trials, which are JSON, with the cards beside them and what makes a game of them.
const PRINTED: [(&str, &str); 3] = [
    ("ruleset.json", include_str!("../../scenario/trials/printed/ruleset.json")),
    ("cards.yaml", include_str!("../../scenario/trials/printed/cards.yaml")),
    ("printed.yaml", include_str!("../parts/printed.yaml")),
];

impl Subject {
    /// A ruleset of these files.
    ///
    /// # Errors
    ///
    /// What is wrong with it, as people read it.
    pub fn new(name: &str, files: Vec<(String, Vec<u8>)>) -> Result<Subject, String> {
        let ruleset = Ruleset::from_files(&files);
        let compiled = ruleset.compile();
        match compiled.program {
            Some(program) => {
                let (name, program) = (name.to_owned(), Arc::new(program));
                Ok(Subject { name, files, program, options: Vec::new(), max_inputs: None })
            }
            None => Err(render(&compiled.diagnostics, ruleset.sources(), false)),
        }
    }

    /// The same program, only that it counts how often its rules are reached.
    ///
    /// # Panics
    ///
    /// If the files no longer make a program, which they did.
    #[must_use]
    pub fn probed(&self) -> Arc<Program> {
        let extras = Extras { probes: true, ..Extras::default() };
        let program = Ruleset::from_files(&self.files).compile_with(&extras).program;
        Arc::new(program.expect("the files made a program before"))
    }

    /// How many seeds to try where `wanted` would do for a short match. A long match tries more things by itself.
    #[must_use]
    pub fn seeds(&self, wanted: u64) -> u64 {
        match self.name.as_str() {
            "skirmish" => wanted.div_ceil(10),
            "draft" | "dogma" => wanted.div_ceil(4),
            _ => wanted,
        }
    }
}

/// The small rulesets.
///
/// # Panics
///
/// If one of them has errors.
#[must_use]
pub fn toys() -> Vec<Subject> {
    let toy = |(name, text): &(&str, &str)| {
        let files = vec![(format!("{name}.yaml"), text.as_bytes().to_vec())];
        let subject = Subject::new(name, files).unwrap_or_else(|problems| panic!("{problems}"));
        Subject { options: options(name), ..subject }
    };
    let files = PRINTED.map(|(file, text)| (file.to_owned(), text.as_bytes().to_vec())).into();
    let printed = Subject::new("printed", files).unwrap_or_else(|problems| panic!("{problems}"));
    TOYS.iter().map(toy).chain([printed]).collect()
}

/// Options worth trying: of types that rules alone cannot make, or for what takes long to come about.
fn options(name: &str) -> Vec<(Text, Datum)> {
    let map = |entries: &[(&str, Datum)]| {
        entries.iter().map(|(name, value)| ((*name).into(), value.clone())).collect::<Vec<_>>()
    };
    let price = map(&[("grain", Datum::Int(2)), ("cloth", Datum::Int(1)), ("salt", Datum::Int(0))]);
    match name {
        // A short draft without a clock, and an age in which everyone has something to use at once.
        "draft" => map(&[
            ("rounds", Datum::Int(2)),
            ("pack_size", Datum::Int(2)),
            ("programme", Datum::Int(3)),
            ("pick_ms", Datum::Null),
            ("build_ms", Datum::Null),
        ]),
        "dogma" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let boards = [
                list(&["telegraph", "powder_mill", "dyeworks", "harbour"]),
                list(&["bazaar", "chronicle", "siege_tower", "dynamo"]),
                list(&["canal_lock", "menhir", "blast_furnace", "railway"]),
            ];
            map(&[
                ("opening", Datum::Int(0)),
                ("rounds", Datum::Int(4)),
                ("copies", Datum::Int(1)),
                ("boards", Datum::List(boards.to_vec())),
            ])
        }
        "ledger" => map(&[("price", Datum::Map(price)), ("steep", Datum::Bool(true))]),
        "parcels" => {
            let goods = ["fig", "plum", "fig", "fig"].map(Datum::text).to_vec();
            map(&[("goods", Datum::List(goods))])
        }
        "reactions" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let table = list(&["shield", "grudge", "pad", "ear", "monk", "ghost", "crier", "mirror", "fuse"]);
            map(&[("table", table), ("foes", list(&["ear", "pad", "horn", "prism", "shield", "spark"]))])
        }
        "batches" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let ours =
                list(&["judge", "drum", "oracle", "echo", "spawn", "relic", "elder", "cursed", "mourner"]);
            map(&[("ours", ours), ("theirs", list(&["judge", "oracle", "buffer", "herald", "reader"]))])
        }
        "renewing" => {
            let defs = ["angel", "martyr", "lamp", "bell", "digger", "priest", "penitent"];
            map(&[("cards", Datum::List(defs.map(Datum::text).to_vec()))])
        }
        "limits" => {
            let defs = ["patient", "eager", "roped", "strict", "hourly", "crowd", "patient"];
            map(&[("table", Datum::List(defs.map(Datum::text).to_vec()))])
        }
        "groups" => {
            let defs = ["guard", "pad", "crier", "guard", "maker", "midwife", "crate_maker"];
            map(&[("table", Datum::List(defs.map(Datum::text).to_vec()))])
        }
        "modifiers" => {
            let defs = ["plain", "captain", "mirror", "ladder", "toll", "friend", "captain"];
            map(&[("table", Datum::List(defs.map(Datum::text).to_vec()))])
        }
        "stack" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let hands = [
                list(&[
                    "bolt", "fork", "ward", "hush", "gamble", "faulty", "recall", "echo", "oracle", "feast",
                    "mercy", "twins",
                ]),
                list(&[
                    "bolt", "volley", "counter", "charm", "blaze", "faulty", "stifle", "curse", "stutter",
                    "mercy", "twins",
                ]),
            ];
            let fields = [
                list(&["runner", "herald", "bear", "smith", "avenger"]),
                list(&["judge", "scholar", "runner", "doubter", "cracked"]),
            ];
            map(&[
                ("hands", Datum::List(hands.to_vec())),
                ("fields", Datum::List(fields.to_vec())),
                ("deck", Datum::Int(3)),
            ])
        }
        "chosen" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let table = list(&["halver", "padder", "horn", "harp", "bell", "bell"]);
            map(&[("table", table), ("foes", list(&["thorn", "harp", "horn", "drum"]))])
        }
        "waiting" => {
            let defs = ["bell", "ringer", "alarm", "sleeper", "damper", "gong", "chime"];
            let tokens = Datum::List(defs.map(Datum::text).to_vec());
            map(&[("tokens", tokens), ("slow", Datum::Bool(true))])
        }
        "paths" => {
            let spot = |x, y| Datum::Map(map(&[("x", Datum::Int(x)), ("y", Datum::Int(y))]));
            let walls = [spot(1, 1), spot(2, 1), spot(1, 3), spot(4, 4)].to_vec();
            map(&[("walls", Datum::List(walls)), ("size", Datum::Int(6)), ("steps", Datum::Int(20))])
        }
        "questions" => map(&[("clock", Datum::Null), ("rounds", Datum::Int(4))]),
        "skirmish" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let parties = [
                list(&["slinger", "wolf", "bear", "goblin", "warlock"]),
                list(&["spider", "ogre", "skeleton", "salamander", "rogue"]),
            ];
            map(&[
                ("parties", Datum::List(parties.to_vec())),
                ("rounds", Datum::Int(4)),
                ("auto_reactions", Datum::Bool(true)),
            ])
        }
        _ => Vec::new(),
    }
}

/// Every ruleset in a folder of rulesets, by name.
///
/// # Errors
///
/// If something cannot be read or has errors.
pub fn rulesets_in(folder: &Path) -> io::Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            subjects.push(read(&path)?);
        }
    }
    subjects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(subjects)
}

fn read(folder: &Path) -> io::Result<Subject> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_file() && matches!(extension, Some("yaml" | "yml" | "json")) {
            let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            files.push((file, std::fs::read(&path)?));
        }
    }
    files.sort();
    let subject = Subject::new(&name, files).map_err(io::Error::other)?;
    Ok(Subject { options: options(&name), ..subject })
}

/// The rulesets of this project, then the small ones.
///
/// # Panics
///
/// If one of them has errors.
#[must_use]
pub fn all() -> Vec<Subject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets");
    let mut subjects = rulesets_in(&folder).unwrap_or_else(|error| panic!("{error}"));
    subjects.extend(toys());
    subjects
}
