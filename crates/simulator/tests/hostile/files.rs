//! Harmful files are rejected: too deep, too large, not text, or with YAML features that are not allowed.

use crate::{HEAD, codes, compile, in_time};

fn refused(what: &str, text: impl Into<Vec<u8>>) -> Vec<&'static str> {
    let bytes = text.into();
    let what = what.to_owned();
    in_time(&what.clone(), move || {
        let compiled = compile("rules.yaml", &bytes);
        assert!(compiled.program.is_none(), "{what} makes a program");
        codes(&compiled)
    })
}

#[test]
fn nesting_without_end_is_refused() {
    let deep =
        |open: &str, close: &str| format!("{HEAD}flow:\n  - {}{}\n", open.repeat(500), close.repeat(500));
    assert_eq!(refused("nested lists", deep("[", "]")), ["E-LIMIT"]);
    assert_eq!(refused("nested ifs", deep("{if: true, then: [", "]}")), ["E-LIMIT"]);
    let parens = format!("{HEAD}flow:\n  - let: {{x: \"{}1{}\"}}\n", "(".repeat(3000), ")".repeat(3000));
    assert!(refused("nested parentheses", parens).contains(&"E-LIMIT"));
    let lambdas = "players.map(a => ".repeat(50);
    let lambdas = format!("{HEAD}flow:\n  - let: {{x: \"{lambdas}1{}\"}}\n", ")".repeat(50));
    assert!(refused("nested lambdas", lambdas).contains(&"E-LIMIT"));
}

#[test]
fn nesting_up_to_the_limit_does_not_exhaust_the_stack() {
    let open = "{if: true, then: [".repeat(29);
    let text = format!("{HEAD}flow:\n  - {open}{{let: {{x: 1}}}}{}\n", "]}".repeat(29));
    in_time("nesting", move || {
        assert!(!compile("rules.yaml", text.as_bytes()).has_errors());
    });
    let types = format!(
        "{HEAD}match: {{props: {{x: {{type: \"{}int{}\"}}}}}}\nflow: []\n",
        "list<".repeat(60),
        ">".repeat(60)
    );
    in_time("types", move || drop(compile("rules.yaml", types.as_bytes())));
}

#[test]
fn files_that_are_too_large_are_refused_unread() {
    assert_eq!(refused("a large file", vec![b'#'; 5_000_000]), ["E-LIMIT"]);
    let long = format!("{HEAD}flow: []\nui: {{x: {}}}\n", "y".repeat(3_000_000));
    assert!(refused("a long text", long).contains(&"E-LIMIT"));
    let many = format!("{HEAD}flow: []\nsymbols: [{}]\n", "a, ".repeat(400_000));
    assert!(refused("many values", many).contains(&"E-LIMIT"));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert_eq!(refused("bytes", b"ir: 1\nruleset: \xff\xfe\n".to_vec()), ["E-UTF8"]);
    assert_eq!(refused("half a character", b"ir: 1 # \xc3".to_vec()), ["E-UTF8"]);
    assert!(!refused("a null byte", b"ir: 1\n\0".to_vec()).is_empty());
    assert!(!refused("nothing", Vec::new()).is_empty());
    assert!(!refused("spaces", "   \n\n".to_owned()).is_empty());
}

#[test]
fn yaml_that_can_blow_up_is_refused() {
    let mut bomb = String::from("a0: &a0 [x]\n");
    for level in 1..40 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(!refused("aliases", bomb).is_empty());
    for text in
        ["<<: *x\n", "a: !!python/object x\n", "%YAML 1.1\n---\na: 1\n", "a: 1\n---\nb: 2\n", "? [a]\n: b\n"]
    {
        assert!(!refused("odd YAML", format!("{HEAD}{text}")).is_empty(), "{text}");
    }
}

#[test]
fn json_is_no_way_around() {
    for text in
        ["[".repeat(100_000), "{\"a\":".repeat(100_000), "1e999".to_owned(), "{\"a\":1,\"a\":2}".to_owned()]
    {
        in_time("json", move || assert!(compile("rules.json", text.as_bytes()).program.is_none()));
    }
}

#[test]
fn names_may_be_long_but_not_endless() {
    let name = "n".repeat(60_000);
    let text = format!("{HEAD}match: {{props: {{{name}: int}}}}\nflow:\n  - set: {{match.{name}x: 1}}\n");
    assert!(!refused("a long name", text).is_empty());
    let names: String = (0..300).map(|n| format!("    {}{n}: int\n", "n".repeat(3000))).collect();
    let text = format!("{HEAD}match:\n  props:\n{names}flow:\n  - set: {{match.{}: 1}}\n", "n".repeat(2999));
    assert!(!refused("long names to suggest", text).is_empty());
}

#[test]
fn numbers_outside_their_range_are_refused() {
    for number in [
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999999999",
        "1.5",
        "0x10",
        "1_000",
    ] {
        let text = format!("{HEAD}match: {{props: {{x: {{type: int, default: {number}}}}}}}\nflow: []\n");
        assert!(!refused("a number", text).is_empty(), "{number}");
        let text = format!("{HEAD}flow:\n  - let: {{x: \"{number} + 1\"}}\n");
        if number != "1_000" {
            assert!(!refused("a number in an expression", text).is_empty(), "{number}");
        }
    }
    for dice in ["0d6", "1d0", "1000000000d6", "1d1000000000", "99999999999999999999d6"] {
        let text = format!("{HEAD}flow:\n  - {{roll: {dice}, as: r}}\n");
        assert!(!refused("dice", text).is_empty(), "{dice}");
    }
}

#[test]
fn recursion_is_refused() {
    let functions = |count: usize| -> String {
        let one = |n: usize| format!("  f{n}: {{returns: int, is: f{}()}}\n", (n + 1) % count);
        (0..count).map(one).collect()
    };
    for count in [1, 2, 5000] {
        let text = format!("{HEAD}functions:\n{}flow:\n  - let: {{x: f0()}}\n", functions(count));
        assert!(refused("recursive functions", text).contains(&"E-RECURSE"), "{count}");
    }
    let procs: String = (0..3000).map(|n| format!("  p{n}: {{do: [p{}]}}\n", (n + 1) % 3000)).collect();
    assert!(refused("recursive procs", format!("{HEAD}procs:\n{procs}flow: [p0]\n")).contains(&"E-RECURSE"));
    let kinds = "kinds: {a: {extends: b}, b: {extends: a}}\n";
    assert!(refused("kinds", format!("{HEAD}{kinds}flow: []\n")).contains(&"E-RECURSE"));
    let props = "match: {props: {a: {type: int, derived: match.b}, b: {type: int, derived: match.a}}}\n";
    assert!(
        refused("derived", format!("{HEAD}{props}flow:\n  - let: {{x: match.a}}\n")).contains(&"E-RECURSE")
    );
}
