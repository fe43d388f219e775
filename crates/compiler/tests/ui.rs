//! The `ui` section: every key, word and name in it is checked, and pictures must exist.

use intermezzo_compiler::{Compilation, Ruleset, render};

/// A ruleset with something of everything that `ui` can name.
const RULES: &str = "
ir: 1
ruleset: {id: look, version: 0.1.0}
outcomes: [over]
options: {size: {type: int, default: 4}, names: {type: text, default: \"'x'\"}}
types: {Tone: {enum: [red, blue]}}
players:
  props:
    life: {type: int, default: 3}
    tags: {type: 'map<Tone, int>', derived: 'map([red, blue], 1)'}
kinds:
  card: {props: {tone: {type: Tone, default: red}, cost: {type: int, default: 1}}}
zones:
  hand:  {of: player, visible: owner, holds: card}
  table: {visible: all, holds: card}
defs:
  spark: {kind: card}
events:
  Struck: {payload: {target: card, harm: int}, text: '{target} is struck'}
traits:
  nimble:
    name: Nimble
    text: It may duck.
    reactions:
      - id: duck
        when: {before: Struck, if: event.target == self}
        may: true
        effects: [{set: {event.harm: 0}}]
        REACTION
setup:
  - {create: spark, in: table, as: made}
  - {create: nimble, host: made}
  - {create: spark, in: 'players[0].hand', with: {tone: blue}}
  - {emit: Struck, target: made, harm: 2}
flow:
  - phase: main
    do:
      - {choose: row, by: 'players[0]', from: 'players[0].hand', slots: 2, empty: true, title: Lay}
      - {choose: more, by: 'players[0]', from: table, pass: PASS, title: More}
      - {choose: last, by: 'players[0]', title: Last, choices: [{id: keep, title: Keep it}, {id: drop, title: Drop it}]}
      - if: more != null and row.present.count > 0 and more!.cost + options.size > 0 and last.id == keep
        then: [{add: {'players[0].life': 1}}]
  - {end: over}
allow: {W-UNUSED: examples use what they need, W-LEAK: nobody plays this}
";

fn compile_with(reaction: &str, pass: &str, ui: &str) -> (Ruleset, Compilation) {
    let rules = RULES.replace("REACTION", reaction).replace("PASS", pass) + ui;
    let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\"><symbol id=\"sun\" viewBox=\"0 0 9 9\"/></svg>";
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), rules.into_bytes())])
        .with_assets(&[("assets/sky.svg".to_owned(), picture.as_bytes().to_vec())]);
    let compiled = ruleset.compile();
    (ruleset, compiled)
}

/// Returns the codes and hints that a `ui` section leads to.
fn found(ui: &str) -> Vec<String> {
    let (_, compiled) = compile_with("", "true", &format!("ui: {ui}\n"));
    compiled.diagnostics.iter().map(|one| format!("{} {}", one.code, one.hints.join(" "))).collect()
}

#[test]
fn everything_that_can_be_said_about_the_look_is_accepted() {
    let ui = "
  minutes: 5
  label: tone
  card: {cost: cost, tone: tone, shows: [tone]}
  zones: {hand: {name: Hand}, table: {hide: false}}
  phases: {main: {pass: To combat, banner: Go}}
  events: {Struck: {animation: shake, sound: hit}}
  theme: {hue: 268, mat: rings, cover: assets/sky.svg}
  layout:
    panel: {life: {as: hearts, max: size}, tags: icons}
    mine: [{zone: hand, as: fan, peek: main}]
    others: {zone: hand, as: chips, by: tone}
    band: [{zone: table, as: track, tracks: [{of: life, max: cost}, {of: tags, key: tone, max: cost}]}]
    middle: {question: row, as: slots, names: [first, second]}
    piles: [hand]
    order: {zone: table, by: [cost]}
    tiles: {shows: [cost]}
  art:
    defs: {spark: rays/bolt}
    values: {tone: {red: {file: assets/sky.svg#sun, scene: night, hue: 3, text: Hot.}}}
    hues: {tone: {red: 6, blue: 215}}
    scenes: {tone: {red: cave}}
    tiles: {spark: bricks}
  score: {lead: life, shows: [life]}
  compare: {choice: keep, of: tags, key: tone, enough: joins, less: waits, defs: {spark: {less: obeys}}}";
    let (ruleset, compiled) = compile_with("", "{title: End turn}", &format!("ui:{ui}\nrules: '# Look'\n"));
    assert!(compiled.diagnostics.is_empty(), "{}", render(&compiled.diagnostics, ruleset.sources(), false));
    let program = compiled.program.expect("a program");
    let passing = program.choices.iter().find_map(|choice| choice.pass_title).expect("passing has a title");
    assert_eq!(program.texts[passing.index()], "End turn");
    assert!(program.metadata.contains("\"manual\":\"# Look\""), "{}", program.metadata);
}

#[test]
fn each_mistake_has_one_diagnostic() {
    for (ui, expected) in [
        ("{layuot: {}}", "E-KEY did you mean `layout`?"),
        ("{theme: {hue: 400}}", "E-TYPE "),
        ("{theme: {mat: ring}}", "E-ENUM did you mean `rings`?"),
        ("{theme: {cover: assets/sk.svg}}", "E-ASSET did you mean `assets/sky.svg`?"),
        ("{theme: {cover: 'assets/sky.svg#sum'}}", "E-ASSET did you mean `sun`?"),
        ("{layout: {panel: {lief: number}}}", "E-PROP did you mean `life`?"),
        ("{layout: {panel: {life: heart}}}", "E-ENUM did you mean `hearts`?"),
        ("{layout: {panel: {life: icons}}}", "E-TYPE "),
        ("{layout: {panel: {life: {as: bar, max: names}}}}", "E-TYPE "),
        ("{layout: {mine: table}}", "E-KEY "),
        ("{layout: {band: hand}}", "E-KEY "),
        ("{layout: {mine: {zone: hnad}}}", "E-NAME did you mean `hand`?"),
        ("{layout: {mine: {zone: hand, as: fna}}}", "E-ENUM did you mean `fan`?"),
        ("{layout: {mine: {zone: hand, as: piles}}}", "E-KEY "),
        ("{layout: {mine: {as: row}}}", "E-KEY "),
        ("{layout: {middle: {question: rwo}}}", "E-NAME did you mean `row`?"),
        ("{layout: {mine: {zone: hand, peek: mian}}}", "E-NAME did you mean `main`?"),
        ("{layout: {order: {by: [cost]}}}", "E-KEY "),
        ("{art: {defs: {sprak: rays/bolt}}}", "E-NAME did you mean `spark`?"),
        ("{art: {defs: {spark: rays/blot}}}", "E-ENUM did you mean `bolt`?"),
        (
            "{art: {defs: {spark: bolt}}}",
            "E-TYPE write `scene/figure`, such as `rays/sword`, or a file such as `assets/sword.svg`",
        ),
        ("{art: {values: {tone: {rde: rays/bolt}}}}", "E-ENUM did you mean `red`?"),
        ("{art: {hues: {tnoe: {red: 3}}}}", "E-PROP did you mean `tone`?"),
        ("{score: {lead: cost}}", "E-PROP known here: life, tags"),
        ("{compare: {choice: keep, of: tags}}", "E-KEY "),
        ("{compare: {choice: kepe, of: tags, key: tone}}", "E-NAME did you mean `keep`?"),
        ("{compare: {choice: keep, of: life, key: tone}}", "E-TYPE "),
        ("{compare: {choice: keep, of: tgas, key: tone}}", "E-PROP did you mean `tags`?"),
        (
            "{compare: {choice: keep, of: tags, key: tone, defs: {sprak: {less: no}}}}",
            "E-NAME did you mean `spark`?",
        ),
        ("{card: {cost: cots}}", "E-PROP did you mean `cost`?"),
        ("{phases: {mian: {pass: Go}}}", "E-NAME did you mean `main`?"),
        ("{zones: {hand: {colour: red}}}", "E-KEY known here: hide, name, row"),
        ("{questions: {paly: {yes: Play it}}}", "E-NAME known here: consent, last, more, row"),
        (
            "{outcomes: {drawn: Nobody won.}}",
            "E-NAME known here: over, concede, disconnect, kicked, moderator, finished, loop, out_of_time",
        ),
    ] {
        assert_eq!(found(ui), [expected], "{ui}");
    }
}

#[test]
fn reactions_say_what_they_are_about() {
    let codes = |reaction: &str| {
        let (_, compiled) = compile_with(reaction, "true", "");
        compiled.diagnostics.iter().map(|one| one.code).collect::<Vec<_>>()
    };
    let good = "ui: {title: 'Duck: {harm / 2} of {harm} for {target} at {target.cost}', cost: a breath, preview: {of: target, prop: cost, yes: '-harm / 2', no: '-harm'}}";
    assert_eq!(codes(good), [""; 0]);
    assert_eq!(codes("ui: {title: 'Duck {hram}'}"), ["E-PROP"]);
    assert_eq!(codes("ui: {yes: 'Take {harm / 2}', no: 'Take {harm}'}"), [""; 0]);
    assert_eq!(codes("ui: {yes: 'Take {hram}'}"), ["E-PROP"]);
    assert_eq!(codes("ui: {title: 'Duck {target.cots}'}"), ["E-PROP"]);
    assert_eq!(codes("ui: {title: 'Duck {players.count}'}"), ["E-PROP"]);
    assert_eq!(codes("ui: {title: 'Duck {max(harm, 1)}'}"), ["E-TYPE"]);
    assert_eq!(codes("ui: {preview: {of: target, prop: cost, yes: 0}}"), ["E-KEY"]);
    assert_eq!(codes("ui: {icon: sword}"), ["E-KEY"]);
    let (_, compiled) = compile_with(good, "true", "");
    let metadata = compiled.program.expect("a program").metadata;
    assert!(metadata.contains("\"duck\":{") && metadata.contains("\"of\":\"Nimble\""), "{metadata}");
}

#[test]
fn a_declaration_without_a_look_has_no_ui() {
    let found = |rules: &str| {
        let (_, compiled) = compile_with("", "true", rules);
        compiled.diagnostics.iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(found("symbols: [x]\nresources: {mana: {of: player, ui: {icon: drop}}}\n"), ["E-KEY"]);
    assert_eq!(found("aliases: {Hit: {of: Struck}}\n"), [""; 0]);
}

#[test]
fn a_published_ruleset_with_free_data_still_compiles() {
    let rules = RULES.replace("REACTION", "ui: {anything: 3}").replace("PASS", "true");
    let rules = rules + "ui: {colour: red, layout: 3}\nresources: {mana: {of: player, ui: {icon: drop}}}\n";
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), rules.into_bytes())]);
    assert!(ruleset.compile().has_errors());
    assert!(ruleset.compile_published().program.is_some());
}

#[test]
fn pictures_that_cannot_be_used_are_reported_where_they_are_wrong() {
    let rules = RULES.replace("REACTION", "").replace("PASS", "true");
    let bad = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\">\n  <script/></svg>";
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), rules.into_bytes())]).with_assets(&[
        ("assets/bad.svg".to_owned(), bad.as_bytes().to_vec()),
        ("assets/note.txt".to_owned(), b"hello".to_vec()),
    ]);
    let compiled = ruleset.compile();
    let report = render(&compiled.diagnostics, ruleset.sources(), false);
    assert!(report.contains("assets/bad.svg:2:3") && report.contains("`script` is not allowed"), "{report}");
    assert!(report.contains("a picture is an .svg or .webp file"), "{report}");
    assert!(compiled.program.is_none());
}

#[test]
fn the_built_in_prints_are_those_of_the_page() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let art = root.join("web/page/src/art");
    let figures =
        std::fs::read_dir(art.join("figures")).expect("the figures").map(|file| file.expect("a file").path());
    let files = figures.chain([art.join("prints.svg")]);
    let drawings = files.map(|file| std::fs::read_to_string(file).expect("a drawing")).collect::<String>();
    let page = std::fs::read_to_string(root.join("docs/reference/language/pictures.md")).expect("the page");
    for prefix in ["id=\"print-figure-", "id=\"print-scene-"] {
        let names = drawings.split(prefix).skip(1).filter_map(|rest| rest.split('"').next());
        for name in names {
            let print = match prefix.contains("figure") {
                true => format!("rays/{name}"),
                false => format!("{name}/bolt"),
            };
            assert_eq!(found(&format!("{{theme: {{cover: {print}}}}}")), [""; 0], "{print}");
            assert!(page.contains(&format!("`{name}`")), "`{name}` is not documented");
        }
    }
}
