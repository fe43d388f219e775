//! Hidden information never reaches the screen of a seat that must not know it.

use crate::typed;

/// Returns the screen until the first step is revealed, without the seed.
fn before_reveal(out: &str) -> String {
    let before = out.split("Step 1").next().unwrap_or_default();
    before.lines().filter(|line| !line.contains("seed")).collect::<Vec<_>>().join("\n")
}

/// Splits the output into screens at the separators.
fn screens(out: &str) -> Vec<&str> {
    out.split(&"=".repeat(60)).collect()
}

#[test]
fn the_layout_of_a_bot_is_hidden() {
    let play = |seed: &str| typed(&["play", "orcain", "--seed", seed], "v\nl\n1 2 3\n").exits(0).out;
    let first = before_reveal(&play("1"));
    assert!(first.contains("hand: 4 hidden"), "{first}");
    for seed in ["2", "3", "4", "5", "6", "7"] {
        assert_eq!(before_reveal(&play(seed)), first, "seed {seed}");
    }
}

#[test]
fn the_layout_of_seat_0_is_hidden_from_seat_1() {
    let screen_of_1 = |layout: &str| {
        let input = format!("{layout}\nv\nl\n- - -\n");
        let run = typed(&["play", "orcain", "--humans", "0,1", "--seed", "1"], &input).exits(0);
        let screens = screens(&run.out);
        assert!(screens[2].contains("Seat 1 is next"), "{}", run.all());
        before_reveal(screens[2])
    };
    let first = screen_of_1("1 2 3");
    assert!(first.contains("seat 1> l"), "{first}");
    for layout in ["- - -", "4 3 2", "- 4 -", "d 2 1 -\n1 2 3"] {
        assert_eq!(screen_of_1(layout), first, "{layout}");
    }
}

/// Seat 0 lets seat 1 answer first, so that seat 1's secret layout exists while seat 0 looks.
#[test]
fn the_layout_of_seat_1_is_hidden_from_seat_0() {
    let screen_of_0 = |layout: &str| {
        let input = format!("w\n{layout}\nv\nl\n1 2 3\n");
        let run = typed(&["play", "orcain", "--humans", "0,1", "--seed", "1"], &input).exits(0);
        let screens = screens(&run.out);
        assert!(screens[3].contains("Seat 0 is next"), "{}", run.all());
        before_reveal(screens[3])
    };
    let first = screen_of_0("1 2 3");
    assert!(first.contains("hand: 4 hidden") && !first.contains("p1 attack"), "{first}");
    for layout in ["- - -", "4 3 2", "- 4 -"] {
        assert_eq!(screen_of_0(layout), first, "{layout}");
    }
}
