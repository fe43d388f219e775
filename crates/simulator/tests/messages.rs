//! A ruleset's own messages: the duel as a client sees it that knows nothing but the duel.

use std::sync::Arc;

use intermezzo_engine::{
    Blank, Datum, Input, InputId, LeaveCause, Letter, Log, Match, Received, Seed, Setup, Unread, Viewer,
    Witness,
};
use intermezzo_ruleset::{Incoming, Program, Seat, Way};
use intermezzo_simulator::{Habits, Subject, play, subjects};

const ANN: Seat = Seat(0);
const BOB: Seat = Seat(1);

/// A match with the letters that went to each seat, the way a server sends them.
struct Table {
    game: Match,
    log: Log,
    witness: Witness,
    known: Vec<InputId>,
    sent: [Vec<String>; 2],
}

impl Table {
    fn begin(program: &Arc<Program>, options: &[(&str, i64)]) -> Table {
        let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
        let setup = Setup { seats: 2, options, seed: Seed::from_number(1), script: None };
        let mut log = Log::new();
        let game = Match::start(Arc::clone(program), &setup, &mut log).expect("it begins");
        let witness = Witness::new(Arc::clone(program), &setup).expect("it can be watched");
        let mut table = Table { game, log, witness, known: Vec::new(), sent: Default::default() };
        let events = table.follow(0);
        let opening = table.witness.opening_letters();
        table.send(opening);
        table.send(events);
        table.ask();
        table
    }

    fn follow(&mut self, from: usize) -> Vec<Letter> {
        let mut letters = Vec::new();
        let observed =
            self.witness.observe_with_letters(&self.log, from, |_, _| {}, |letter| letters.push(letter));
        observed.expect("it goes on");
        letters
    }

    /// Letters with the questions that are new.
    fn ask(&mut self) {
        let open: Vec<InputId> = self.game.pending().map(|pending| pending.id()).collect();
        for input in open.iter().filter(|input| !self.known.contains(input)) {
            let letters = self.witness.question_letters(&self.game, *input);
            letters.into_iter().for_each(|letter| self.sent[usize::from(letter.to.0)].push(written(&letter)));
        }
        self.known = open;
    }

    fn send(&mut self, letters: Vec<Letter>) {
        letters.into_iter().for_each(|letter| self.sent[usize::from(letter.to.0)].push(written(&letter)));
    }

    fn submit(&mut self, input: &Input) {
        let from = self.log.len();
        self.game.submit(input, &mut self.log).expect("it is taken");
        let letters = self.follow(from);
        self.send(letters);
        self.ask();
    }

    /// What comes of a message of a client.
    fn receive(&mut self, seat: Seat, name: &str, layout: Datum) -> Result<Received, Unread> {
        let body = Datum::Map(vec![("layout".into(), layout)]);
        self.witness.read_message(&self.game, seat, name, &body)
    }

    fn message(&mut self, seat: Seat, name: &str, cards: [&str; 3]) {
        let received = self.receive(seat, name, layout(&cards)).expect("it can be read");
        let Received::Input(input) = received else { panic!("{received:?}") };
        self.submit(&input);
    }

    fn confirm(&mut self, ann: [&str; 3], bob: [&str; 3]) {
        self.message(ANN, "layout_confirm", ann);
        self.message(BOB, "layout_confirm", bob);
    }

    /// The deadline passes for all who have not answered.
    fn time_is_up(&mut self) {
        let open: Vec<InputId> = self.game.pending().map(|pending| pending.id()).collect();
        open.into_iter().for_each(|input| self.submit(&Input::Timeout { input }));
    }

    /// What was sent since this was last asked.
    fn news(&mut self) -> [Vec<String>; 2] {
        std::mem::take(&mut self.sent)
    }
}

fn layout(cards: &[&str]) -> Datum {
    let card = |card: &&str| if *card == "-" { Datum::Null } else { Datum::text(*card) };
    Datum::List(cards.iter().map(card).collect())
}

/// A letter as it goes over the wire, with what the host knows.
fn written(letter: &Letter) -> String {
    show(&letter.filled(|blank| match blank {
        Blank::PlayerName(seat) => {
            seat.map_or(Datum::Null, |seat| Datum::text(["Ann", "Bob"][usize::from(seat.0)]))
        }
        Blank::Deadline(_) => Datum::text("soon"),
        Blank::MatchId => Datum::text("m1"),
        Blank::Code => Datum::text("no_such_option"),
        Blank::Reason => Datum::text("what is wrong"),
    }))
}

fn show(datum: &Datum) -> String {
    match datum {
        Datum::Null => "null".to_owned(),
        Datum::Bool(value) => value.to_string(),
        Datum::Int(number) => number.to_string(),
        Datum::Text(text) => text.clone().into(),
        Datum::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
        Datum::Map(entries) => entries
            .iter()
            .map(|(name, value)| format!("{name}={}", show(value)))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn orcain() -> Arc<Program> {
    let subject = subjects::all().into_iter().find(|subject| subject.name == "orcain");
    Arc::clone(&subject.expect("the duel is there").program)
}

const HAND: &str = "cards=[attack defense heal counter] yourHand=[attack defense heal counter]";

#[test]
fn a_match_begins_with_match_found_and_prep_start() {
    let mut table = Table::begin(&orcain(), &[]);
    let prep = |mine: &str, theirs: &str| {
        format!(
            "type=prep_start roundIndex=1 deadlineTs=soon yourNickname={mine} oppNickname={theirs} yourHp=10 oppHp=10 \
             pot=2 {HAND} suddenDeath=false"
        )
    };
    let found = |mine: &str, theirs: &str| {
        format!(
            "type=match_found matchId=m1 yourNickname={mine} oppNickname={theirs} \
             yourHand=[attack defense heal counter]"
        )
    };
    let [ann, bob] = table.news();
    assert_eq!(ann, [found("Ann", "Bob"), prep("Ann", "Bob")]);
    assert_eq!(bob, [found("Bob", "Ann"), prep("Bob", "Ann")]);
}

#[test]
fn a_confirmed_round_is_three_steps_a_round_end_and_the_next_prep() {
    let mut table = Table::begin(&orcain(), &[]);
    table.news();
    table.message(ANN, "layout_confirm", ["attack", "heal", "-"]);
    assert_eq!(table.news(), [Vec::<String>::new(), Vec::new()], "nobody is told before both have confirmed");
    table.message(BOB, "layout_confirm", ["counter", "attack", "-"]);
    let [ann, bob] = table.news();
    assert_eq!(
        ann,
        [
            "type=step_reveal roundIndex=1 step=0 yourCard=attack oppCard=counter yourHp=8 oppHp=10"
                .to_owned(),
            "type=step_reveal roundIndex=1 step=1 yourCard=heal oppCard=attack yourHp=7 oppHp=10".to_owned(),
            "type=step_reveal roundIndex=1 step=2 yourCard=null oppCard=null yourHp=7 oppHp=10".to_owned(),
            "type=round_end roundIndex=1 yourHp=7 oppHp=10".to_owned(),
            format!(
                "type=prep_start roundIndex=2 deadlineTs=soon yourNickname=Ann oppNickname=Bob yourHp=7 oppHp=10 \
                 pot=2 {HAND} suddenDeath=false"
            ),
        ]
    );
    assert_eq!(
        bob[0],
        "type=step_reveal roundIndex=1 step=0 yourCard=counter oppCard=attack yourHp=10 oppHp=8"
    );
    assert_eq!(bob[3], "type=round_end roundIndex=1 yourHp=10 oppHp=7");
    assert!(bob[4].contains("yourNickname=Bob oppNickname=Ann yourHp=10 oppHp=7"), "{}", bob[4]);
    assert_eq!(bob.len(), 5);
}

#[test]
fn a_knock_out_is_told_after_its_round() {
    let mut table = Table::begin(&orcain(), &[("max_hp", 2)]);
    table.news();
    table.confirm(["attack", "-", "-"], ["heal", "-", "-"]);
    let [ann, bob] = table.news();
    assert_eq!(ann.len(), 5, "{ann:?}");
    assert_eq!(ann[3], "type=round_end roundIndex=1 yourHp=2 oppHp=0");
    assert_eq!(ann[4], "type=match_end winner=Ann result=win reason=normal yourHp=2 oppHp=0 pot=winners");
    assert_eq!(bob[4], "type=match_end winner=Ann result=loss reason=normal yourHp=0 oppHp=2 pot=winners");
    let mut draw = Table::begin(&orcain(), &[("max_hp", 2)]);
    draw.confirm(["attack", "-", "-"], ["attack", "-", "-"]);
    let [ann, _] = draw.news();
    let last = "type=match_end winner=null result=draw reason=double_ko yourHp=0 oppHp=0 pot=refund";
    assert_eq!(ann.last().map(String::as_str), Some(last));
}

#[test]
fn a_draft_counts_when_time_is_up_and_is_seen_by_nobody_before() {
    let mut table = Table::begin(&orcain(), &[]);
    table.news();
    table.message(ANN, "layout_draft", ["attack", "fireball", "attack"]);
    table.message(BOB, "layout_draft", ["GRASS", "-", "defense"]);
    assert_eq!(table.news(), [Vec::<String>::new(), Vec::new()]);
    table.time_is_up();
    let [ann, _] = table.news();
    assert_eq!(ann[0], "type=step_reveal roundIndex=1 step=0 yourCard=attack oppCard=null yourHp=10 oppHp=8");
    assert_eq!(ann[1], "type=step_reveal roundIndex=1 step=1 yourCard=null oppCard=null yourHp=10 oppHp=8");
    assert_eq!(
        ann[2],
        "type=step_reveal roundIndex=1 step=2 yourCard=null oppCard=defense yourHp=10 oppHp=8"
    );
}

#[test]
fn two_silent_rounds_end_with_timeout_for_one_and_for_both() {
    let mut table = Table::begin(&orcain(), &[]);
    for _ in 0..2 {
        table.news();
        table.message(BOB, "layout_confirm", ["-", "-", "-"]);
        table.time_is_up();
    }
    let [ann, bob] = table.news();
    assert_eq!(ann, ["type=match_end winner=Bob result=loss reason=timeout yourHp=10 oppHp=10 pot=winners"]);
    assert_eq!(bob, ["type=match_end winner=Bob result=win reason=timeout yourHp=10 oppHp=10 pot=winners"]);
    let mut table = Table::begin(&orcain(), &[]);
    for _ in 0..2 {
        table.news();
        table.time_is_up();
    }
    let end = "type=match_end winner=null result=loss reason=timeout yourHp=10 oppHp=10 pot=burn";
    assert_eq!(table.news(), [[end.to_owned()], [end.to_owned()]]);
}

#[test]
fn a_disconnect_ends_the_match_at_once() {
    let mut table = Table::begin(&orcain(), &[]);
    table.message(ANN, "layout_confirm", ["attack", "-", "-"]);
    table.news();
    table.submit(&Input::Leave { seat: BOB, cause: LeaveCause::Disconnect });
    let [ann, bob] = table.news();
    assert_eq!(
        ann,
        ["type=match_end winner=Ann result=win reason=disconnect yourHp=10 oppHp=10 pot=winners"]
    );
    assert_eq!(
        bob,
        ["type=match_end winner=Ann result=loss reason=disconnect yourHp=10 oppHp=10 pot=winners"]
    );
}

#[test]
fn sudden_death_goes_on_until_somebody_is_ahead() {
    let mut table = Table::begin(&orcain(), &[("rounds", 1)]);
    table.confirm(["heal", "-", "-"], ["-", "-", "-"]);
    let [ann, _] = table.news();
    let prep = ann.last().expect("it goes on");
    assert!(prep.starts_with("type=prep_start roundIndex=2") && prep.ends_with("suddenDeath=true"), "{prep}");
    table.confirm(["attack", "-", "-"], ["-", "-", "-"]);
    let [ann, _] = table.news();
    let last = "type=match_end winner=Ann result=win reason=normal yourHp=10 oppHp=8 pot=winners";
    assert_eq!(ann.last().map(String::as_str), Some(last));
}

#[test]
fn bad_messages_are_refused_and_answered_with_an_error() {
    let program = orcain();
    let mut table = Table::begin(&program, &[]);
    let code = |read: Result<Received, Unread>| read.expect_err("it cannot be read").name();
    assert_eq!(
        code(table.receive(ANN, "layout_confirm", layout(&["heal", "fireball", "-"]))),
        "no_such_option"
    );
    assert_eq!(code(table.receive(ANN, "layout_shout", layout(&["heal"]))), "no_such_message");
    assert_eq!(code(table.receive(ANN, "prep_start", Datum::Null)), "no_such_message");
    let empty = table.witness.read_message(&table.game, ANN, "layout_confirm", &Datum::Null);
    assert_eq!(code(empty), "missing_key");
    // What can be read may still be refused by the match.
    for cards in [&["heal", "heal", "-"][..], &["heal"], &["-", "-", "-", "-"]] {
        let Ok(Received::Input(input)) = table.receive(ANN, "layout_confirm", layout(cards)) else {
            panic!("{cards:?} can be read")
        };
        assert!(table.game.submit(&input, &mut table.log).is_err(), "{cards:?}");
    }
    table.message(ANN, "layout_confirm", ["heal", "-", "-"]);
    assert_eq!(code(table.receive(ANN, "layout_confirm", layout(&["-", "-", "-"]))), "not_asked");
    let errors: Vec<String> = table.witness.error_letters(ANN).iter().map(written).collect();
    assert_eq!(errors, ["type=error_msg code=no_such_option message=what is wrong"]);
    assert_eq!(table.receive(ANN, "queue_join", Datum::Null), Ok(Received::JoinQueue));
    let join = program.message_named("queue_join").map(|message| &message.way);
    assert_eq!(join, Some(&Way::In(Incoming::JoinQueue)));
}

#[test]
fn a_player_who_is_back_gets_the_letter_of_the_open_question_again() {
    let mut table = Table::begin(&orcain(), &[]);
    let input = table.known[1];
    let [_, bob] = table.news();
    let again: Vec<String> = table.witness.question_letters(&table.game, input).iter().map(written).collect();
    assert_eq!(again[..], bob[1..]);
    assert!(table.witness.question_letters(&table.game, InputId(99)).is_empty());
}

#[test]
fn letters_change_nothing() {
    for subject in subjects::all() {
        for seed in 0..10 {
            watch_twice(&subject, seed);
        }
    }
}

/// One witness writes letters all the time, the other never; both tell and show the same.
fn watch_twice(subject: &Subject, seed: u64) {
    let habits = Habits { max_inputs: 40, ..Habits::lively() };
    let played = play(&subject.program, seed, &[], &habits).expect("it begins");
    let setup = &played.setup;
    let mut log = Log::new();
    let mut game = Match::start(Arc::clone(&subject.program), setup, &mut log).expect("it begins");
    let new = || Witness::new(Arc::clone(&subject.program), setup).expect("it can be watched");
    let (mut silent, mut writing) = (new(), new());
    let mut from = 0;
    for at in 0..=played.inputs.len() {
        let (mut told, mut letters) = ([Vec::new(), Vec::new()], 0);
        silent.observe(&log, from, |viewer, event| told[0].push((viewer, event))).expect("it goes on");
        let sink = |viewer, event| told[1].push((viewer, event));
        writing.observe_with_letters(&log, from, sink, |_| letters += 1).expect("it goes on");
        let [left, right] = told;
        assert_eq!(left, right, "{} {seed}: input {at}", subject.name);
        writing.opening_letters();
        game.pending().for_each(|pending| drop(writing.question_letters(&game, pending.id())));
        for viewer in silent.viewers().collect::<Vec<Viewer>>() {
            assert_eq!(silent.view(viewer), writing.view(viewer), "{} {seed}: input {at}", subject.name);
            assert_eq!(silent.prompts(&game, viewer), writing.prompts(&game, viewer));
        }
        from = log.len();
        if let Some(input) = played.inputs.get(at) {
            game.submit(input, &mut log).expect("it was taken before");
        }
    }
}
