//! Custom messages: the duel as a client sees it that understands only the ruleset's messages.

use std::sync::Arc;

use intermezzo_engine::{
    CustomMessage, Datum, EventLog, Input, InputId, LeaveCause, Match, MessageError, Observer, Placeholder,
    ReceivedMessage, Seed, Setup, Viewer,
};
use intermezzo_program::{IncomingMessage, MessageDirection, Program, Seat};
use intermezzo_simulator::{Fixture, InputMix, fixtures, play};

const ANN: Seat = Seat(0);
const BOB: Seat = Seat(1);

/// Match with the messages that each seat received.
struct MessageRecorder {
    game: Match,
    log: EventLog,
    observer: Observer,
    known: Vec<InputId>,
    sent: [Vec<String>; 2],
}

impl MessageRecorder {
    fn begin(program: &Arc<Program>, options: &[(&str, i64)]) -> MessageRecorder {
        let options = options.iter().map(|(name, value)| ((*name).into(), Datum::Int(*value))).collect();
        let setup = Setup { seats: 2, options, seed: Seed::from_number(1), script: None };
        let mut log = EventLog::new();
        let game = Match::start(Arc::clone(program), &setup, &mut log).expect("the match starts");
        let observer = Observer::new(Arc::clone(program), &setup).expect("the match can be observed");
        let mut recorder =
            MessageRecorder { game, log, observer, known: Vec::new(), sent: Default::default() };
        let events = recorder.follow(0);
        let opening = recorder.observer.start_messages();
        recorder.send(opening);
        recorder.send(events);
        recorder.send_questions();
        recorder
    }

    fn follow(&mut self, from: usize) -> Vec<CustomMessage> {
        let mut messages = Vec::new();
        let observed =
            self.observer.observe_with_messages(&self.log, from, |_, _| {}, |message| messages.push(message));
        observed.expect("the log can be followed");
        messages
    }

    /// Sends messages for new questions.
    fn send_questions(&mut self) {
        let open: Vec<InputId> = self.game.pending().map(|pending| pending.id()).collect();
        for input in open.iter().filter(|input| !self.known.contains(input)) {
            let messages = self.observer.question_messages(&self.game, *input);
            messages
                .into_iter()
                .for_each(|message| self.sent[usize::from(message.to.0)].push(format_message(&message)));
        }
        self.known = open;
    }

    fn send(&mut self, messages: Vec<CustomMessage>) {
        messages
            .into_iter()
            .for_each(|message| self.sent[usize::from(message.to.0)].push(format_message(&message)));
    }

    fn submit(&mut self, input: &Input) {
        let from = self.log.len();
        self.game.submit(input, &mut self.log).expect("the input is accepted");
        let messages = self.follow(from);
        self.send(messages);
        self.send_questions();
    }

    /// Decodes a client's message.
    fn receive(&mut self, seat: Seat, name: &str, layout: Datum) -> Result<ReceivedMessage, MessageError> {
        let body = Datum::Map(vec![("layout".into(), layout)]);
        self.observer.read_message(&self.game, seat, name, &body)
    }

    fn message(&mut self, seat: Seat, name: &str, cards: [&str; 3]) {
        let received = self.receive(seat, name, layout(&cards)).expect("the message can be read");
        let ReceivedMessage::Input(input) = received else { panic!("{received:?}") };
        self.submit(&input);
    }

    fn confirm(&mut self, ann: [&str; 3], bob: [&str; 3]) {
        self.message(ANN, "layout_confirm", ann);
        self.message(BOB, "layout_confirm", bob);
    }

    /// Lets the deadline expire for all who have not answered.
    fn expire_deadlines(&mut self) {
        let open: Vec<InputId> = self.game.pending().map(|pending| pending.id()).collect();
        open.into_iter().for_each(|input| self.submit(&Input::Timeout { input }));
    }

    /// Returns and clears the messages sent.
    fn take_sent(&mut self) -> [Vec<String>; 2] {
        std::mem::take(&mut self.sent)
    }
}

fn layout(cards: &[&str]) -> Datum {
    let card = |card: &&str| if *card == "-" { Datum::Null } else { Datum::text(*card) };
    Datum::List(cards.iter().map(card).collect())
}

/// Formats a message as sent, with the values that the server fills in.
fn format_message(message: &CustomMessage) -> String {
    show(&message.render(|blank| match blank {
        Placeholder::PlayerName(seat) => {
            seat.map_or(Datum::Null, |seat| Datum::text(["Ann", "Bob"][usize::from(seat.0)]))
        }
        Placeholder::Deadline(_) => Datum::text("soon"),
        Placeholder::MatchId => Datum::text("m1"),
        Placeholder::Code => Datum::text("no_such_option"),
        Placeholder::Reason => Datum::text("what is wrong"),
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
    let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == "orcain");
    Arc::clone(&fixture.expect("the ruleset exists").program)
}

const HAND: &str = "cards=[attack defense heal counter] yourHand=[attack defense heal counter]";

#[test]
fn a_match_begins_with_match_found_and_prep_start() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[]);
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
    let [ann, bob] = recorder.take_sent();
    assert_eq!(ann, [found("Ann", "Bob"), prep("Ann", "Bob")]);
    assert_eq!(bob, [found("Bob", "Ann"), prep("Bob", "Ann")]);
}

#[test]
fn a_confirmed_round_is_three_steps_a_round_end_and_the_next_prep() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[]);
    recorder.take_sent();
    recorder.message(ANN, "layout_confirm", ["attack", "heal", "-"]);
    assert_eq!(
        recorder.take_sent(),
        [Vec::<String>::new(), Vec::new()],
        "no message is sent before both have confirmed"
    );
    recorder.message(BOB, "layout_confirm", ["counter", "attack", "-"]);
    let [ann, bob] = recorder.take_sent();
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
fn a_knock_out_is_reported_after_its_round() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[("max_hp", 2)]);
    recorder.take_sent();
    recorder.confirm(["attack", "-", "-"], ["heal", "-", "-"]);
    let [ann, bob] = recorder.take_sent();
    assert_eq!(ann.len(), 5, "{ann:?}");
    assert_eq!(ann[3], "type=round_end roundIndex=1 yourHp=2 oppHp=0");
    assert_eq!(ann[4], "type=match_end winner=Ann result=win reason=normal yourHp=2 oppHp=0 pot=winners");
    assert_eq!(bob[4], "type=match_end winner=Ann result=loss reason=normal yourHp=0 oppHp=2 pot=winners");
    let mut draw = MessageRecorder::begin(&orcain(), &[("max_hp", 2)]);
    draw.confirm(["attack", "-", "-"], ["attack", "-", "-"]);
    let [ann, _] = draw.take_sent();
    let last = "type=match_end winner=null result=draw reason=double_ko yourHp=0 oppHp=0 pot=refund";
    assert_eq!(ann.last().map(String::as_str), Some(last));
}

#[test]
fn a_draft_counts_when_time_is_up_and_is_seen_by_nobody_before() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[]);
    recorder.take_sent();
    recorder.message(ANN, "layout_draft", ["attack", "fireball", "attack"]);
    recorder.message(BOB, "layout_draft", ["GRASS", "-", "defense"]);
    assert_eq!(recorder.take_sent(), [Vec::<String>::new(), Vec::new()]);
    recorder.expire_deadlines();
    let [ann, _] = recorder.take_sent();
    assert_eq!(ann[0], "type=step_reveal roundIndex=1 step=0 yourCard=attack oppCard=null yourHp=10 oppHp=8");
    assert_eq!(ann[1], "type=step_reveal roundIndex=1 step=1 yourCard=null oppCard=null yourHp=10 oppHp=8");
    assert_eq!(
        ann[2],
        "type=step_reveal roundIndex=1 step=2 yourCard=null oppCard=defense yourHp=10 oppHp=8"
    );
}

#[test]
fn two_silent_rounds_end_with_timeout_for_one_and_for_both() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[]);
    for _ in 0..2 {
        recorder.take_sent();
        recorder.message(BOB, "layout_confirm", ["-", "-", "-"]);
        recorder.expire_deadlines();
    }
    let [ann, bob] = recorder.take_sent();
    assert_eq!(ann, ["type=match_end winner=Bob result=loss reason=timeout yourHp=10 oppHp=10 pot=winners"]);
    assert_eq!(bob, ["type=match_end winner=Bob result=win reason=timeout yourHp=10 oppHp=10 pot=winners"]);
    let mut recorder = MessageRecorder::begin(&orcain(), &[]);
    for _ in 0..2 {
        recorder.take_sent();
        recorder.expire_deadlines();
    }
    let end = "type=match_end winner=null result=loss reason=timeout yourHp=10 oppHp=10 pot=burn";
    assert_eq!(recorder.take_sent(), [[end.to_owned()], [end.to_owned()]]);
}

#[test]
fn a_disconnect_ends_the_match_at_once() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[]);
    recorder.message(ANN, "layout_confirm", ["attack", "-", "-"]);
    recorder.take_sent();
    recorder.submit(&Input::Leave { seat: BOB, cause: LeaveCause::Disconnect });
    let [ann, bob] = recorder.take_sent();
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
fn sudden_death_lasts_until_somebody_is_ahead() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[("rounds", 1)]);
    recorder.confirm(["heal", "-", "-"], ["-", "-", "-"]);
    let [ann, _] = recorder.take_sent();
    let prep = ann.last().expect("the log can be followed");
    assert!(prep.starts_with("type=prep_start roundIndex=2") && prep.ends_with("suddenDeath=true"), "{prep}");
    recorder.confirm(["attack", "-", "-"], ["-", "-", "-"]);
    let [ann, _] = recorder.take_sent();
    let last = "type=match_end winner=Ann result=win reason=normal yourHp=10 oppHp=8 pot=winners";
    assert_eq!(ann.last().map(String::as_str), Some(last));
}

#[test]
fn bad_messages_are_refused_and_answered_with_an_error() {
    let program = orcain();
    let mut recorder = MessageRecorder::begin(&program, &[]);
    let code =
        |read: Result<ReceivedMessage, MessageError>| read.expect_err("the message cannot be read").name();
    assert_eq!(
        code(recorder.receive(ANN, "layout_confirm", layout(&["heal", "fireball", "-"]))),
        "no_such_option"
    );
    assert_eq!(
        code(recorder.receive(ANN, "layout_confirm", layout(&["heal", "heal", "-"]))),
        "no_such_option"
    );
    assert_eq!(code(recorder.receive(ANN, "layout_shout", layout(&["heal"]))), "no_such_message");
    assert_eq!(code(recorder.receive(ANN, "prep_start", Datum::Null)), "no_such_message");
    let empty = recorder.observer.read_message(&recorder.game, ANN, "layout_confirm", &Datum::Null);
    assert_eq!(code(empty), "missing_key");
    let with = |key: &str, value: Datum| {
        Datum::Map(vec![("layout".into(), layout(&["-", "-", "-"])), (key.into(), value)])
    };
    for (body, reason) in [
        (with("round", Datum::Int(1)), Some("unknown_key")),
        (with("roundIndex", Datum::Int(2)), Some("wrong_question")),
        (with("roundIndex", Datum::text("1")), Some("wrong_question")),
        (with("roundIndex", Datum::Int(1)), None),
    ] {
        let read = recorder.observer.read_message(&recorder.game, ANN, "layout_confirm", &body);
        assert_eq!(read.err().map(|error| error.name()), reason, "{body:?}");
    }
    // A readable message may still be refused by the match.
    for cards in [&["heal"][..], &["-", "-", "-", "-"]] {
        let Ok(ReceivedMessage::Input(input)) = recorder.receive(ANN, "layout_confirm", layout(cards)) else {
            panic!("{cards:?} is readable")
        };
        assert!(recorder.game.submit(&input, &mut recorder.log).is_err(), "{cards:?}");
    }
    recorder.message(ANN, "layout_confirm", ["heal", "-", "-"]);
    assert_eq!(code(recorder.receive(ANN, "layout_confirm", layout(&["-", "-", "-"]))), "not_asked");
    let errors: Vec<String> = recorder.observer.error_messages(ANN).iter().map(format_message).collect();
    assert_eq!(errors, ["type=error_msg code=no_such_option message=what is wrong"]);
    let join = recorder.observer.read_message(&recorder.game, ANN, "queue_join", &Datum::Null);
    assert_eq!(join, Ok(ReceivedMessage::JoinQueue));
    assert_eq!(code(recorder.receive(ANN, "queue_join", Datum::Null)), "unknown_key");
    let join = program.message_named("queue_join").map(|message| &message.direction);
    assert_eq!(join, Some(&MessageDirection::In(IncomingMessage::JoinQueue)));
}

#[test]
fn a_reconnected_player_gets_the_message_of_the_open_question_again() {
    let mut recorder = MessageRecorder::begin(&orcain(), &[]);
    let input = recorder.known[1];
    let [_, bob] = recorder.take_sent();
    let again: Vec<String> =
        recorder.observer.question_messages(&recorder.game, input).iter().map(format_message).collect();
    assert_eq!(again[..], bob[1..]);
    assert!(recorder.observer.question_messages(&recorder.game, InputId(99)).is_empty());
}

#[test]
fn messages_change_nothing() {
    for fixture in fixtures::all() {
        for seed in 0..10 {
            observe_twice(&fixture, seed);
        }
    }
}

/// Compares an observer that produces messages with one that does not: both report and show the same.
fn observe_twice(fixture: &Fixture, seed: u64) {
    let mix = InputMix { max_inputs: 40, ..InputMix::varied() };
    let played = play(&fixture.program, seed, &[], &mix).expect("the match starts");
    let setup = &played.setup;
    let mut log = EventLog::new();
    let mut game = Match::start(Arc::clone(&fixture.program), setup, &mut log).expect("the match starts");
    let new = || Observer::new(Arc::clone(&fixture.program), setup).expect("the match can be observed");
    let (mut silent, mut writing) = (new(), new());
    let mut from = 0;
    for at in 0..=played.inputs.len() {
        let (mut told, mut messages) = ([Vec::new(), Vec::new()], 0);
        silent
            .observe(&log, from, |viewer, event| told[0].push((viewer, event)))
            .expect("the log can be followed");
        let sink = |viewer, event| told[1].push((viewer, event));
        writing.observe_with_messages(&log, from, sink, |_| messages += 1).expect("the log can be followed");
        let [left, right] = told;
        assert_eq!(left, right, "{} {seed}: input {at}", fixture.name);
        writing.start_messages();
        game.pending().for_each(|pending| drop(writing.question_messages(&game, pending.id())));
        for viewer in silent.viewers().collect::<Vec<Viewer>>() {
            assert_eq!(silent.view(viewer), writing.view(viewer), "{} {seed}: input {at}", fixture.name);
            assert_eq!(silent.prompts(&game, viewer), writing.prompts(&game, viewer));
        }
        from = log.len();
        if let Some(input) = played.inputs.get(at) {
            game.submit(input, &mut log).expect("the input was accepted before");
        }
    }
}
