//! Any ruleset can be played with selectors and responses alone.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::*;
use intermezzo_program::{AnswerShape, BranchContent, Program, Seat};
use intermezzo_selector::*;
use serde_json::{Value, json};

fn compile(path: &str) -> Arc<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let ruleset = Ruleset::load(&path).expect("the ruleset can be read");
    Arc::new(ruleset.compile().program.expect("the ruleset has no errors"))
}

/// A match and its observer.
struct SelectorGame {
    game: Match,
    observer: Observer,
    log: EventLog,
}

impl SelectorGame {
    fn start(program: &Arc<Program>, seats: u8, seed: u64) -> SelectorGame {
        let setup = Setup { seats, options: vec![], seed: Seed::from_number(seed), script: None };
        let mut log = EventLog::new();
        let game = Match::start(Arc::clone(program), &setup, &mut log).expect("the setup fits");
        let mut observer = Observer::new(Arc::clone(program), &setup).expect("the setup fits");
        observer.observe(&log, 0, |_, _| {}).expect("the log belongs to the match");
        SelectorGame { game, observer, log }
    }

    fn selector(&mut self, seat: u8) -> RulesetSelector {
        let pending = self.game.pending().find(|pending| pending.seat() == Seat(seat));
        let input = pending.expect("the seat is asked").id();
        selector_for(&mut self.observer, &self.game, input).expect("the question has a selector")
    }

    fn submit(&mut self, question: &RulesetSelector, answer: Answer) {
        let from = self.log.len();
        let input = Input::Answer { input: question.input(), seat: question.seat(), answer };
        self.game.submit(&input, &mut self.log).expect("the answer is legal");
        self.observer.observe(&self.log, from, |_, _| {}).expect("the log belongs to the match");
    }

    /// Compares the selector, then sends a selection.
    fn answer_with(&mut self, seat: u8, asked: &Value, selection: &Value) {
        let question = self.selector(seat);
        assert_eq!(serde_json::to_value(question.selector()).expect("a selector serializes"), *asked);
        let response = json!({"actor": asked["actor"], "title": asked["title"], "selection": selection});
        let response = Response::from_json(&response.to_string()).expect("the response parses");
        let answer = question.answer(&response).unwrap_or_else(|refusal| panic!("{selection}: {refusal}"));
        self.submit(&question, answer);
    }
}

/// Returns the response for an answer.
fn response_to(question: &RulesetSelector, pending: &PendingQuestion<'_>, answer: &Answer) -> Response {
    let selector = question.selector();
    let list = selector.choices().list();
    let is_wrapped = pending.choice().pass && pending.bounds().0 > 1 && list.len() == 2;
    let exactly = |choice: &SelectorChoice| Pick {
        title: Some(choice.title().clone()),
        id: choice.id().cloned(),
        selection: Vec::new(),
    };
    let picks = |picks: &[i32], list: &[SelectorChoice]| -> Vec<Pick> {
        let empty = list.iter().rfind(|choice| !choice.is_exclusive());
        let choice = |pick: &i32| {
            usize::try_from(*pick).ok().map_or(empty.expect("a slot may stay empty"), |pick| &list[pick])
        };
        picks.iter().map(|pick| exactly(choice(pick))).collect()
    };
    let selection = match answer {
        Answer::Pass => vec![exactly(list.last().expect("declining is offered"))],
        Answer::Picks(given) if is_wrapped => {
            vec![
                exactly(&list[0])
                    .with(picks(given, list[0].choices().expect("the choices are nested").list())),
            ]
        }
        Answer::Picks(given) => picks(given, list),
        Answer::Branches(given) => branch_picks(pending, None, list, &mut given.iter().peekable(), &picks),
    };
    Response::to(selector.title(), selection)
}

/// Builds picks of options from their indices.
type PickBuilder<'p> = dyn Fn(&[i32], &[SelectorChoice]) -> Vec<Pick> + 'p;

/// Returns the picks of the branches of one parent, as long as they come next in an answer.
fn branch_picks<'a>(
    pending: &PendingQuestion<'_>,
    parent: Option<u16>,
    list: &[SelectorChoice],
    given: &mut std::iter::Peekable<impl Iterator<Item = &'a (u16, Vec<i32>)>>,
    picks: &PickBuilder<'_>,
) -> Vec<Pick> {
    let branches = &pending.choice().branches;
    let mut found = Vec::new();
    while let Some((number, own)) =
        given.next_if(|(number, _)| branches[usize::from(*number)].parent == parent)
    {
        let branch = &branches[usize::from(*number)];
        let id = pending.program().symbol(branch.id);
        let is_meant = |choice: &&SelectorChoice| choice.id().is_some_and(|known| *known == id);
        let choice = list.iter().find(is_meant).expect("the branch has a choice");
        let inner = choice.choices().map_or(&[][..], ChoiceList::list);
        let selection = match branch.inner {
            BranchContent::Branches => branch_picks(pending, Some(*number), inner, given, picks),
            BranchContent::Nothing | BranchContent::Options => picks(own, inner),
        };
        let pick =
            Pick { title: Some(choice.title().clone()), id: choice.id().cloned(), selection: Vec::new() };
        found.push(pick.with(selection));
    }
    found
}

/// Returns random picks from the titles and ids of a selector.
fn random_picks(choices: &ChoiceList, chance: &mut Chance) -> Vec<Pick> {
    let list = choices.list();
    let mut picks = Vec::new();
    for _ in 0..chance.below(5) {
        if list.is_empty() || chance.below(10) == 0 {
            picks.push(Pick::titled("nonsense"));
            continue;
        }
        let choice = &list[chance.below(list.len() as u32) as usize];
        let id = choice.id().filter(|_| chance.below(3) > 0).cloned();
        let selection = choice.choices().map(|inner| random_picks(inner, chance)).unwrap_or_default();
        picks.push(Pick { title: Some(choice.title().clone()), id, selection });
    }
    picks
}

/// Plays at random through selectors; returns the number of questions and of accepted random responses.
fn play(program: &Arc<Program>, seats: u8, seed: u64) -> (usize, usize) {
    let mut game = SelectorGame::start(program, seats, seed);
    let mut chance = Chance::new(Seed::from_number(seed + 1000), DiceScript::default());
    let (mut asked, mut accepted) = (0, 0);
    for _ in 0..120 {
        let open: Vec<InputId> = game.game.pending().map(|pending| pending.id()).collect();
        if open.is_empty() {
            break;
        }
        asked += 1;
        let input = open[chance.below(open.len() as u32) as usize];
        let question =
            selector_for(&mut game.observer, &game.game, input).expect("the question has a selector");
        let text = serde_json::to_string(question.selector()).expect("a selector serializes");
        assert_eq!(serde_json::from_str::<Selector>(&text).expect("a selector parses"), *question.selector());
        let pending =
            game.game.pending().find(|pending| pending.id() == input).expect("the question is open");
        // Every accepted response is legal.
        let random = Response::to(
            question.selector().title(),
            random_picks(question.selector().choices(), &mut chance),
        );
        if let Ok(answer) = question.answer(&random) {
            pending.check(&answer).unwrap_or_else(|rejection| panic!("seed {seed}: {random:?}: {rejection}"));
            accepted += 1;
        }
        // Every legal answer has a response.
        let mut answer = Answer::Pass;
        let count = u32::try_from(pending.answer_count()).unwrap_or(u32::MAX);
        pending.nth_answer(u64::from(chance.below(count)), &mut answer);
        let response = response_to(&question, &pending, &answer);
        let read = question
            .answer(&response)
            .unwrap_or_else(|refusal| panic!("seed {seed}: {text} {answer:?}: {refusal}"));
        assert_eq!(response_to(&question, &pending, &read), response, "seed {seed}");
        game.submit(&question, read);
    }
    (asked, accepted)
}

#[test]
fn accepted_responses_are_legal_and_legal_answers_have_a_response() {
    let mut files: Vec<String> =
        ["questions", "corners", "dice", "echoes", "garden", "hands", "leaving", "parcels", "veil"]
            .map(|name| format!("crates/simulator/rulesets/{name}.yaml"))
            .into();
    files.extend(["rulesets/orcain".to_owned(), "rulesets/mages".to_owned()]);
    files.push("crates/scenario/conformance/alternatives".to_owned());
    let (mut asked, mut accepted) = (0, 0);
    for file in files {
        let program = compile(&file);
        for seed in 0..20 {
            let (questions, taken) = play(&program, program.seats.default, seed);
            asked += questions;
            accepted += taken;
        }
    }
    assert!(asked > 5_000 && accepted > 500, "{asked} {accepted}");
}

#[test]
fn alternatives_within_alternatives_are_choices_within_choices() {
    let program = compile("crates/scenario/conformance/alternatives");
    let mut game = SelectorGame::start(&program, 2, 1);
    let question = game.selector(0);
    game.submit(&question, Answer::Picks(vec![0]));
    let question = game.selector(0);
    let selector = serde_json::to_value(question.selector()).expect("a selector serializes");
    let travel = &selector["choices"][2];
    assert_eq!((&travel["title"], &travel["id"]), (&json!("Travel"), &json!("travel")));
    assert_eq!(travel["choices"][0]["choices"][1]["title"], json!("On foot"));
    let answer = |selection: &Value| {
        let response = json!({"actor": "p0", "title": "What will you do?", "selection": selection});
        question.answer(&Response::from_json(&response.to_string()).expect("the response parses"))
    };
    let on_foot =
        json!([{"title": "Travel", "selection": [{"title": "To the north", "selection": ["On foot"]}]}]);
    let taken = answer(&on_foot).expect("it matches");
    assert_eq!(taken, Answer::Branches(vec![(5, vec![]), (6, vec![]), (8, vec![])]));
    let buying = json!([{"title": "Trade", "selection": [{"title": "Buy", "selection": ["Bread"]}]}]);
    assert_eq!(answer(&buying).expect("it matches"), Answer::Branches(vec![(1, vec![]), (2, vec![1])]));
    assert!(answer(&json!([{"title": "Travel", "selection": ["On foot"]}])).is_err());
    game.submit(&question, taken);
}

#[test]
fn every_form_of_choosing_has_a_selector() {
    let program = compile("crates/selector/tests/forms.yaml");
    let mut game = SelectorGame::start(&program, 2, 1);
    let hand =
        json!([{"title": "Imp", "id": "#1"}, {"title": "Imp", "id": "#2"}, {"title": "Orc", "id": "#3"}]);
    let asked = |title: &str, choices: Value, min: u32, max: u32| json!({"type": "select", "actor": "p0", "title": title, "choices": choices, "min": min, "max": max});
    game.answer_with(0, &asked("Play a card", hand.clone(), 1, 1), &json!([{"id": "#2"}]));
    game.answer_with(0, &asked("Numbers", json!([3, 5, 8]), 0, 2), &json!([8, 3]));
    game.answer_with(0, &asked("Sure?", json!(["yes", "no"]), 1, 1), &json!(["yes"]));
    game.answer_with(0, &asked("Who goes first?", json!(["p0", "p1"]), 2, 2), &json!(["p1", "p0"]));
    let mut slots = hand.clone();
    slots.as_array_mut().unwrap().extend(["Empty", "Empty", "Empty"].map(Value::from));
    game.answer_with(0, &asked("Lay out cards", slots, 3, 3), &json!(["Empty", "Orc", {"id": "#1"}]));
    let pass = json!({"title": "Pass", "id": "pass", "exclusive": true});
    let mut reply = hand.clone();
    reply.as_array_mut().unwrap().push(pass.clone());
    game.answer_with(0, &asked("Answer with a card", reply, 1, 1), &json!(["Pass"]));
    let two = json!({"title": "Give two cards", "choices": hand, "min": 2, "max": 2});
    let two = json!({"type": "select", "actor": "p0", "title": "Give two cards", "choices": [two, pass]});
    game.answer_with(0, &two, &json!([{"title": "Give two cards", "selection": ["Orc", "Imp"]}]));
    let modes = json!([
        {"title": "Rest", "id": "rest", "exclusive": true},
        {"title": "Play cards", "id": "play", "choices": hand, "min": 1, "max": 2},
        {"title": "Bid", "id": "bid", "choices": [hand[1], hand[2]], "min": 1, "max": 1},
    ]);
    let picks =
        json!([{"id": "bid", "selection": ["Orc"]}, {"title": "Play cards", "selection": ["Imp", "Imp"]}]);
    game.answer_with(0, &asked("What will you do?", modes, 1, 2), &picks);
    game.answer_with(0, &asked("Last", json!([7, pass]), 1, 1), &json!([7]));
    let both = json!([{"title": "Hand over", "id": "pass", "choices": [1, 2], "min": 1, "max": 1}, {"title": "Keep", "id": "keep"}]);
    let both = json!({"title": "Both or none", "choices": both, "min": 2, "max": 2});
    // One of the alternatives already has the id `pass`.
    let choices = json!([both, {"title": "Pass", "id": "pass'", "exclusive": true}]);
    let both = json!({"type": "select", "actor": "p0", "title": "Both or none", "choices": choices});
    let picks = json!([{"title": "Both or none", "selection": ["Keep", {"id": "pass", "selection": [2]}]}]);
    game.answer_with(0, &both, &picks);
    let only = json!({"type": "select", "actor": "p0", "title": "Too many", "choices": [pass]});
    game.answer_with(0, &only, &json!(["Pass"]));
    let nothing = json!({"type": "select", "actor": "p0", "title": "None", "choices": [pass], "max": 1});
    game.answer_with(0, &nothing, &json!([]));
    assert!(game.game.ending().is_some());
    let told = game.observer.view(Viewer::Seat(Seat(0)));
    let told = format!("{told:?}");
    let expected: Vec<String> = [2, 8, 3, 1, 1, 0, 0, 3, 1, 0, 3, 1, 1, 2, 7, 0, 1, 1, 0]
        .iter()
        .map(|n| format!("Int({n})"))
        .collect();
    assert!(told.contains(&format!("[{}]", expected.join(", "))), "{told}");
}

#[test]
fn mismatches_are_rejected_with_the_same_messages() {
    let program = compile("rulesets/orcain");
    let mut game = SelectorGame::start(&program, 2, 1);
    let question = game.selector(1);
    assert_eq!(question.selector().actor(), "p1");
    assert!(matches!(game.game.pending().next().unwrap().choice().shape, AnswerShape::Slots { .. }));
    let title = question.selector().title().to_owned();
    let refused = |response: &Response| question.answer(response).unwrap_err().to_string();
    assert_eq!(
        refused(&Response::to("Other", ["x"])),
        format!("expected an answer to `{title}`, not to `Other`")
    );
    assert_eq!(refused(&Response::to(&title, ["x"])), "Selection x didn't exist in the choices");
    let none: [&str; 0] = [];
    assert_eq!(
        refused(&Response::to(&title, none)),
        "Invalid number of options selected: expected 3-3, got 0"
    );
    let foreign = Response { actor: Some("p0".to_owned()), ..Response::to(&title, none) };
    assert_eq!(refused(&foreign), "expected an answer from `p1`, not from `p0`");
    let closed = selector_for(&mut game.observer, &game.game, InputId(99)).unwrap_err();
    assert_eq!(closed.to_string(), "input 99 is no longer open");
}
