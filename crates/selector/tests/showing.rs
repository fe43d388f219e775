//! Any ruleset can be played by someone who knows nothing but selectors and responses.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::*;
use intermezzo_ruleset::{Inner, Program, Seat, Shape};
use intermezzo_selector::*;
use serde_json::{Value, json};

fn compile(path: &str) -> Arc<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let ruleset = Ruleset::load(&path).expect("the ruleset can be read");
    Arc::new(ruleset.compile().program.expect("the ruleset has no errors"))
}

/// A match and what its seats see of it.
struct Game {
    playing: Match,
    witness: Witness,
    log: Log,
}

impl Game {
    fn start(program: &Arc<Program>, seats: u8, seed: u64) -> Game {
        let setup = Setup { seats, options: vec![], seed: Seed::from_number(seed), script: None };
        let mut log = Log::new();
        let playing = Match::start(Arc::clone(program), &setup, &mut log).expect("the setup fits");
        let mut witness = Witness::new(Arc::clone(program), &setup).expect("the setup fits");
        witness.observe(&log, 0, |_, _| {}).expect("the log is that of the match");
        Game { playing, witness, log }
    }

    fn show(&mut self, seat: u8) -> Shown {
        let pending = self.playing.pending().find(|pending| pending.seat() == Seat(seat));
        let input = pending.expect("the seat is asked").id();
        show(&mut self.witness, &self.playing, input).expect("the question can be shown")
    }

    fn submit(&mut self, shown: &Shown, answer: Answer) {
        let from = self.log.len();
        let input = Input::Answer { input: shown.input(), seat: shown.seat(), answer };
        self.playing.submit(&input, &mut self.log).expect("the answer is legal");
        self.witness.observe(&self.log, from, |_, _| {}).expect("the log is that of the match");
    }

    /// Sends a selection, after comparing what is asked.
    fn say(&mut self, seat: u8, asked: &Value, selection: &Value) {
        let shown = self.show(seat);
        assert_eq!(serde_json::to_value(shown.selector()).expect("a selector can be written"), *asked);
        let response = json!({"actor": asked["actor"], "title": asked["title"], "selection": selection});
        let response = Response::from_json(&response.to_string()).expect("the response can be read");
        let answer = shown.answer(&response).unwrap_or_else(|refusal| panic!("{selection}: {refusal}"));
        self.submit(&shown, answer);
    }
}

/// The response that means an answer.
fn response_to(shown: &Shown, pending: &Pending<'_>, answer: &Answer) -> Response {
    let selector = shown.selector();
    let list = selector.choices().list();
    let is_wrapped = pending.choice().pass && pending.bounds().0 > 1 && list.len() == 2;
    let exactly = |choice: &Choice| Pick {
        title: Some(choice.title().clone()),
        id: choice.id().cloned(),
        selection: Vec::new(),
    };
    let picks = |picks: &[i32], list: &[Choice]| -> Vec<Pick> {
        let empty = list.iter().rfind(|choice| !choice.is_exclusive());
        let choice = |pick: &i32| {
            usize::try_from(*pick).ok().map_or(empty.expect("there is an empty slot"), |pick| &list[pick])
        };
        picks.iter().map(|pick| exactly(choice(pick))).collect()
    };
    let selection = match answer {
        Answer::Pass => vec![exactly(list.last().expect("declining is offered"))],
        Answer::Picks(given) if is_wrapped => {
            vec![
                exactly(&list[0])
                    .with(picks(given, list[0].choices().expect("the choices are within").list())),
            ]
        }
        Answer::Picks(given) => picks(given, list),
        Answer::Branches(given) => taken(pending, None, list, &mut given.iter().peekable(), &picks),
    };
    Response::to(selector.title(), selection)
}

/// Makes picks of options by their numbers.
type Picks<'p> = dyn Fn(&[i32], &[Choice]) -> Vec<Pick> + 'p;

/// Picks of the alternatives of one parent, as far as those come next in an answer.
fn taken<'a>(
    pending: &Pending<'_>,
    parent: Option<u16>,
    list: &[Choice],
    given: &mut std::iter::Peekable<impl Iterator<Item = &'a (u16, Vec<i32>)>>,
    picks: &Picks<'_>,
) -> Vec<Pick> {
    let branches = &pending.choice().branches;
    let mut found = Vec::new();
    while let Some((number, own)) =
        given.next_if(|(number, _)| branches[usize::from(*number)].parent == parent)
    {
        let branch = &branches[usize::from(*number)];
        let id = pending.program().symbol(branch.id);
        let is_meant = |choice: &&Choice| choice.id().is_some_and(|known| *known == id);
        let choice = list.iter().find(is_meant).expect("the alternative is shown");
        let inner = choice.choices().map_or(&[][..], Choices::list);
        let selection = match branch.inner {
            Inner::Branches => taken(pending, Some(*number), inner, given, picks),
            Inner::Nothing | Inner::Options => picks(own, inner),
        };
        let pick =
            Pick { title: Some(choice.title().clone()), id: choice.id().cloned(), selection: Vec::new() };
        found.push(pick.with(selection));
    }
    found
}

/// Titles and ids from a selector, put together at random.
fn nonsense(choices: &Choices, chance: &mut Chance) -> Vec<Pick> {
    let list = choices.list();
    let mut picks = Vec::new();
    for _ in 0..chance.below(5) {
        if list.is_empty() || chance.below(10) == 0 {
            picks.push(Pick::titled("nonsense"));
            continue;
        }
        let choice = &list[chance.below(list.len() as u32) as usize];
        let id = choice.id().filter(|_| chance.below(3) > 0).cloned();
        let selection = choice.choices().map(|inner| nonsense(inner, chance)).unwrap_or_default();
        picks.push(Pick { title: Some(choice.title().clone()), id, selection });
    }
    picks
}

/// Plays at random through selectors; gives how many questions were asked and how many random responses were taken.
fn play(program: &Arc<Program>, seats: u8, seed: u64) -> (usize, usize) {
    let mut game = Game::start(program, seats, seed);
    let mut chance = Chance::new(Seed::from_number(seed + 1000), Script::default());
    let (mut asked, mut accepted) = (0, 0);
    for _ in 0..120 {
        let open: Vec<InputId> = game.playing.pending().map(|pending| pending.id()).collect();
        if open.is_empty() {
            break;
        }
        asked += 1;
        let input = open[chance.below(open.len() as u32) as usize];
        let shown = show(&mut game.witness, &game.playing, input).expect("the question can be shown");
        let text = serde_json::to_string(shown.selector()).expect("a selector can be written");
        assert_eq!(
            serde_json::from_str::<Selector>(&text).expect("a selector can be read"),
            *shown.selector()
        );
        let pending =
            game.playing.pending().find(|pending| pending.id() == input).expect("the question is open");
        // Whatever is taken is legal.
        let random =
            Response::to(shown.selector().title(), nonsense(shown.selector().choices(), &mut chance));
        if let Ok(answer) = shown.answer(&random) {
            pending.check(&answer).unwrap_or_else(|rejection| panic!("seed {seed}: {random:?}: {rejection}"));
            accepted += 1;
        }
        // Whatever is legal can be said.
        let mut answer = Answer::Pass;
        let count = u32::try_from(pending.answer_count()).unwrap_or(u32::MAX);
        pending.nth_answer(u64::from(chance.below(count)), &mut answer);
        let response = response_to(&shown, &pending, &answer);
        let read = shown
            .answer(&response)
            .unwrap_or_else(|refusal| panic!("seed {seed}: {text} {answer:?}: {refusal}"));
        assert_eq!(response_to(&shown, &pending, &read), response, "seed {seed}");
        game.submit(&shown, read);
    }
    (asked, accepted)
}

#[test]
fn whatever_is_taken_is_legal_and_whatever_is_legal_can_be_said() {
    let mut files: Vec<String> =
        ["questions", "corners", "dice", "echoes", "garden", "hands", "leaving", "parcels", "veil"]
            .map(|name| format!("crates/simulator/rulesets/{name}.yaml"))
            .into();
    files.extend(["rulesets/orcain".to_owned(), "rulesets/mages".to_owned()]);
    files.push("crates/scenario/trials/alternatives".to_owned());
    let (mut asked, mut accepted) = (0, 0);
    for file in files {
        let program = compile(&file);
        for seed in 0..20 {
            let (questions, taken) = play(&program, program.seats.usual, seed);
            asked += questions;
            accepted += taken;
        }
    }
    assert!(asked > 5_000 && accepted > 500, "{asked} {accepted}");
}

#[test]
fn alternatives_within_alternatives_are_choices_within_choices() {
    let program = compile("crates/scenario/trials/alternatives");
    let mut game = Game::start(&program, 2, 1);
    let shown = game.show(0);
    game.submit(&shown, Answer::Picks(vec![0]));
    let shown = game.show(0);
    let selector = serde_json::to_value(shown.selector()).expect("a selector can be written");
    let travel = &selector["choices"][2];
    assert_eq!((&travel["title"], &travel["id"]), (&json!("Travel"), &json!("travel")));
    assert_eq!(travel["choices"][0]["choices"][1]["title"], json!("On foot"));
    let answer = |selection: &Value| {
        let response = json!({"actor": "p0", "title": "What will you do?", "selection": selection});
        shown.answer(&Response::from_json(&response.to_string()).expect("the response can be read"))
    };
    let on_foot =
        json!([{"title": "Travel", "selection": [{"title": "To the north", "selection": ["On foot"]}]}]);
    let taken = answer(&on_foot).expect("it fits");
    assert_eq!(taken, Answer::Branches(vec![(5, vec![]), (6, vec![]), (8, vec![])]));
    let buying = json!([{"title": "Trade", "selection": [{"title": "Buy", "selection": ["Bread"]}]}]);
    assert_eq!(answer(&buying).expect("it fits"), Answer::Branches(vec![(1, vec![]), (2, vec![1])]));
    assert!(answer(&json!([{"title": "Travel", "selection": ["On foot"]}])).is_err());
    game.submit(&shown, taken);
}

#[test]
fn every_form_of_choosing_has_a_selector() {
    let program = compile("crates/selector/tests/forms.yaml");
    let mut game = Game::start(&program, 2, 1);
    let hand =
        json!([{"title": "Imp", "id": "#1"}, {"title": "Imp", "id": "#2"}, {"title": "Orc", "id": "#3"}]);
    let asked = |title: &str, choices: Value, min: u32, max: u32| json!({"type": "select", "actor": "p0", "title": title, "choices": choices, "min": min, "max": max});
    game.say(0, &asked("Play a card", hand.clone(), 1, 1), &json!([{"id": "#2"}]));
    game.say(0, &asked("Numbers", json!([3, 5, 8]), 0, 2), &json!([8, 3]));
    game.say(0, &asked("Sure?", json!(["yes", "no"]), 1, 1), &json!(["yes"]));
    game.say(0, &asked("Who goes first?", json!(["p0", "p1"]), 2, 2), &json!(["p1", "p0"]));
    let mut slots = hand.clone();
    slots.as_array_mut().unwrap().extend(["Empty", "Empty", "Empty"].map(Value::from));
    game.say(0, &asked("Lay out cards", slots, 3, 3), &json!(["Empty", "Orc", {"id": "#1"}]));
    let pass = json!({"title": "Pass", "id": "pass", "exclusive": true});
    let mut reply = hand.clone();
    reply.as_array_mut().unwrap().push(pass.clone());
    game.say(0, &asked("Answer with a card", reply, 1, 1), &json!(["Pass"]));
    let two = json!({"title": "Give two cards", "choices": hand, "min": 2, "max": 2});
    let two = json!({"type": "select", "actor": "p0", "title": "Give two cards", "choices": [two, pass]});
    game.say(0, &two, &json!([{"title": "Give two cards", "selection": ["Orc", "Imp"]}]));
    let modes = json!([
        {"title": "Rest", "id": "rest", "exclusive": true},
        {"title": "Play cards", "id": "play", "choices": hand, "min": 1, "max": 2},
        {"title": "Bid", "id": "bid", "choices": [hand[1], hand[2]], "min": 1, "max": 1},
    ]);
    let picks =
        json!([{"id": "bid", "selection": ["Orc"]}, {"title": "Play cards", "selection": ["Imp", "Imp"]}]);
    game.say(0, &asked("What will you do?", modes, 1, 2), &picks);
    game.say(0, &asked("Last", json!([7, pass]), 1, 1), &json!([7]));
    let both = json!([{"title": "Hand over", "id": "pass", "choices": [1, 2], "min": 1, "max": 1}, {"title": "Keep", "id": "keep"}]);
    let both = json!({"title": "Both or none", "choices": both, "min": 2, "max": 2});
    // One of the alternatives is called `pass` already.
    let choices = json!([both, {"title": "Pass", "id": "pass'", "exclusive": true}]);
    let both = json!({"type": "select", "actor": "p0", "title": "Both or none", "choices": choices});
    let picks = json!([{"title": "Both or none", "selection": ["Keep", {"id": "pass", "selection": [2]}]}]);
    game.say(0, &both, &picks);
    let only = json!({"type": "select", "actor": "p0", "title": "Too many", "choices": [pass]});
    game.say(0, &only, &json!(["Pass"]));
    let nothing = json!({"type": "select", "actor": "p0", "title": "None", "choices": [pass], "max": 1});
    game.say(0, &nothing, &json!([]));
    assert!(game.playing.ending().is_some());
    let told = game.witness.view(Viewer::Seat(Seat(0)));
    let told = format!("{told:?}");
    let expected: Vec<String> = [2, 8, 3, 1, 1, 0, 0, 3, 1, 0, 3, 1, 1, 2, 7, 0, 1, 1, 0]
        .iter()
        .map(|n| format!("Int({n})"))
        .collect();
    assert!(told.contains(&format!("[{}]", expected.join(", "))), "{told}");
}

#[test]
fn what_does_not_fit_is_refused_in_the_same_words() {
    let program = compile("rulesets/orcain");
    let mut game = Game::start(&program, 2, 1);
    let shown = game.show(1);
    assert_eq!(shown.selector().actor(), "p1");
    assert!(matches!(game.playing.pending().next().unwrap().choice().shape, Shape::Slots { .. }));
    let title = shown.selector().title().to_owned();
    let refused = |response: &Response| shown.answer(response).unwrap_err().to_string();
    assert_eq!(
        refused(&Response::to("Other", ["x"])),
        format!("an answer to `{title}` is asked for, not one to `Other`")
    );
    assert_eq!(refused(&Response::to(&title, ["x"])), "Selection x didn't exist in the choices");
    let none: [&str; 0] = [];
    assert_eq!(
        refused(&Response::to(&title, none)),
        "Invalid number of options selected: expected 3-3, got 0"
    );
    let foreign = Response { actor: Some("p0".to_owned()), ..Response::to(&title, none) };
    assert_eq!(refused(&foreign), "the answer of `p1` is asked for, not that of `p0`");
    let closed = show(&mut game.witness, &game.playing, InputId(99)).unwrap_err();
    assert_eq!(closed.to_string(), "input 99 is no longer open");
}
