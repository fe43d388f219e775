//! Rulesets that the laws are checked on: small ones made for tests, and all real ones.

use std::io;
use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::{Extras, Ruleset, render};
use intermezzo_engine::{Datum, ShortText};
use intermezzo_program::Program;

/// Ruleset for tests.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Name in messages.
    pub name: String,
    /// Files: name and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// Compiled program.
    pub program: Arc<Program>,
    /// Options of every other match.
    pub options: Vec<(ShortText, Datum)>,
    /// Largest number of inputs of a law's match, if limited.
    pub max_inputs: Option<u32>,
}

macro_rules! small_rulesets {
    ($($name:literal),*; $($conformance:literal),*) => {
        &[
            $(($name, include_str!(concat!("../rulesets/", $name, ".yaml"))),)*
            $(($conformance, include_str!(concat!("../../scenario/conformance/", $conformance, "/ruleset.yaml"))),)*
        ]
    };
}

/// Small rulesets that together use every feature of the engine.
pub const SMALL_RULESETS: &[(&str, &str)] = small_rulesets!(
    "ambush",
    "cloak",
    "corners",
    "decoys",
    "dice",
    "echoes",
    "garden",
    "hands",
    "heaps",
    "leaving",
    "ledger",
    "parcels",
    "questions",
    "veil";
    "alternatives",
    "announcing",
    "apnap",
    "apnap-chosen",
    "arena",
    "asking",
    "batches",
    "chosen",
    "claims",
    "closing",
    "copies",
    "cups",
    "dividing",
    "draws",
    "duels",
    "facedown",
    "grants",
    "groups",
    "limits",
    "modifiers",
    "openings",
    "partners",
    "paths",
    "reactions",
    "renewing",
    "replacing",
    "rooms",
    "scores",
    "settling",
    "shop",
    "stack",
    "together",
    "traits",
    "triggers",
    "waiting"
);

/// Conformance ruleset `printed`: its rules in JSON, its cards, and the parts that make it a playable game.
const PRINTED: [(&str, &str); 3] = [
    ("ruleset.json", include_str!("../../scenario/conformance/printed/ruleset.json")),
    ("cards.yaml", include_str!("../../scenario/conformance/printed/cards.yaml")),
    ("printed.yaml", include_str!("../parts/printed.yaml")),
];

impl Fixture {
    /// Compiles a ruleset from files.
    ///
    /// # Errors
    ///
    /// Returns the rendered diagnostics if the ruleset has errors.
    pub fn new(name: &str, files: Vec<(String, Vec<u8>)>) -> Result<Fixture, String> {
        let ruleset = Ruleset::from_files(&files);
        let compiled = ruleset.compile();
        match compiled.program {
            Some(program) => {
                let (name, program) = (name.to_owned(), Arc::new(program));
                Ok(Fixture { name, files, program, options: Vec::new(), max_inputs: None })
            }
            None => Err(render(&compiled.diagnostics, ruleset.sources(), false)),
        }
    }

    /// Compiles the same program with coverage counters.
    ///
    /// # Panics
    ///
    /// Panics if the files do not compile, which they did before.
    #[must_use]
    pub fn instrumented(&self) -> Arc<Program> {
        let extras = Extras { coverage: true, ..Extras::default() };
        let program = Ruleset::from_files(&self.files).compile_with(&extras).program;
        Arc::new(program.expect("the files compiled before"))
    }

    /// Returns the number of seeds to try where `wanted` is right for short matches. Long matches need fewer seeds.
    #[must_use]
    pub fn seeds(&self, wanted: u64) -> u64 {
        match self.name.as_str() {
            "skirmish" => wanted.div_ceil(10),
            "draft" | "dogma" => wanted.div_ceil(4),
            _ => wanted,
        }
    }
}

/// Returns the small rulesets.
///
/// # Panics
///
/// Panics if one of them has errors.
#[must_use]
pub fn small_rulesets() -> Vec<Fixture> {
    let compile = |(name, text): &(&str, &str)| {
        let files = vec![(format!("{name}.yaml"), text.as_bytes().to_vec())];
        let fixture = Fixture::new(name, files).unwrap_or_else(|problems| panic!("{problems}"));
        Fixture { options: options(name), ..fixture }
    };
    let files = PRINTED.map(|(file, text)| (file.to_owned(), text.as_bytes().to_vec())).into();
    let printed = Fixture::new("printed", files).unwrap_or_else(|problems| panic!("{problems}"));
    SMALL_RULESETS.iter().map(compile).chain([printed]).collect()
}

/// Returns options worth trying: of types that rules cannot construct, or for situations that take long to reach.
fn options(name: &str) -> Vec<(ShortText, Datum)> {
    let map = |entries: &[(&str, Datum)]| {
        entries.iter().map(|(name, value)| ((*name).into(), value.clone())).collect::<Vec<_>>()
    };
    let price = map(&[("grain", Datum::Int(2)), ("cloth", Datum::Int(1)), ("salt", Datum::Int(0))]);
    match name {
        // A short draft without a clock.
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
            let table =
                list(&["shield", "grudge", "pad", "ear", "monk", "ghost", "crier", "mirror", "scout"]);
            map(&[("table", table), ("foes", list(&["ear", "pad", "horn", "prism", "shield", "spark"]))])
        }
        "batches" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let ours =
                list(&["judge", "drum", "oracle", "echo", "spawn", "relic", "elder", "cursed", "mourner"]);
            map(&[
                ("ours", ours),
                ("theirs", list(&["judge", "oracle", "ward", "crier", "usher", "porter", "reader"])),
            ])
        }
        "triggers" => {
            let defs = ["patient", "lamp", "medic", "nurse", "siren", "scribe", "clerk", "patient", "sign"];
            map(&[("table", Datum::List(defs.map(Datum::text).to_vec()))])
        }
        "openings" => {
            let defs = ["rooster", "early_bird", "owl", "bat", "trap", "storm"];
            map(&[("table", Datum::List(defs.map(Datum::text).to_vec()))])
        }
        "rooms" => {
            let defs = ["porter", "cat", "doorman"];
            map(&[("guards", Datum::List(defs.map(Datum::text).to_vec())), ("guests", Datum::Int(1))])
        }
        "announcing" => {
            let list = |defs: &[&str]| Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
            let table = list(&["pad", "bank", "silencer", "crier", "shield"]);
            map(&[("table", table), ("foes", list(&["silencer", "witness", "pad", "bank"]))])
        }
        "replacing" => {
            let defs = ["void", "mirror", "spring", "crossroads", "watcher", "forge", "crier", "mirror"];
            map(&[("table", Datum::List(defs.map(Datum::text).to_vec()))])
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
            let table = list(&["halver", "padder", "doubler", "horn", "harp", "bell", "bell", "lefty"]);
            map(&[
                ("table", table),
                ("foes", list(&["thorn", "harp", "horn", "drum", "breaker", "adder", "halver"])),
            ])
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

/// Reads every ruleset in a folder of rulesets, ordered by name.
///
/// # Errors
///
/// Fails if a file cannot be read or a ruleset has errors.
pub fn rulesets_in(folder: &Path) -> io::Result<Vec<Fixture>> {
    let mut fixtures = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            fixtures.push(read(&path)?);
        }
    }
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(fixtures)
}

fn read(folder: &Path) -> io::Result<Fixture> {
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
    let fixture = Fixture::new(&name, files).map_err(io::Error::other)?;
    Ok(Fixture { options: options(&name), ..fixture })
}

/// Returns the bundled rulesets, then the small ones.
///
/// # Panics
///
/// Panics if one of them has errors.
#[must_use]
pub fn all() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets");
    let mut fixtures = rulesets_in(&folder).unwrap_or_else(|error| panic!("{error}"));
    fixtures.extend(small_rulesets());
    fixtures
}
