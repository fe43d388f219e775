//! Matches whose rules are a function: requests to one, many and any, with answers in any order.

use intermezzo_engine::{InputId, Rejection, Seed};
use intermezzo_program::Seat;
use intermezzo_selector::*;

const NAMES: [&str; 4] = ["dennis", "micah", "scott", "eliya"];

fn record() -> ResponseRecord {
    ResponseRecord::new(NAMES, Seed::from_number(1))
}

fn bid(game: &GameContext<'_>, seat: Seat) -> Result<Selector, InvalidSelector> {
    Selector::select(game.name(seat), "Bid", ChoiceList::of([1, 2, 3, 4]))
}

/// All players bid at once.
fn bidding(log: &mut Vec<String>, game: &mut GameContext<'_>) -> Result<(), Suspension> {
    // Asked in reverse seat order: neither this nor the order of arrival matters.
    let mut selectors = game.seats().map(|seat| bid(game, seat)).collect::<Result<Vec<_>, _>>()?;
    selectors.reverse();
    for accepted in game.request_many(selectors)? {
        log.push(format!("{} {}", accepted.response.actor.unwrap_or_default(), accepted.picks[0].title));
    }
    Ok(())
}

/// Players draft one card each, first come, first served.
fn drafting(log: &mut Vec<String>, game: &mut GameContext<'_>) -> Result<(), Suspension> {
    let mut cards = vec!["imp", "orc", "elf", "ent", "roc"];
    let mut seats: Vec<Seat> = game.seats().collect();
    while !seats.is_empty() {
        let choices = || ChoiceList::of(cards.iter().copied());
        let selector = |seat: &Seat| Selector::select(game.name(*seat), "Draft a card", choices());
        let selectors = seats.iter().map(selector).collect::<Result<Vec<_>, _>>()?;
        let first = game.request_any(selectors)?;
        log.push(format!("{} {}", game.name(first.seat), first.picks[0].title));
        cards.remove(first.picks[0].index);
        seats.retain(|seat| *seat != first.seat);
    }
    Ok(())
}

fn orders() -> Vec<[u8; 4]> {
    let mut orders = Vec::new();
    for code in 0..256u32 {
        let order = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6].map(|seat| seat as u8);
        if (0..4).all(|seat| order.contains(&seat)) {
            orders.push(order);
        }
    }
    assert_eq!(orders.len(), 24);
    orders
}

#[test]
fn many_gives_the_same_whatever_the_order_of_arrival() {
    for order in orders() {
        let mut play = FunctionMatch::run(record(), Vec::new(), bidding).unwrap();
        assert_eq!(play.open_requests().len(), 4);
        for (place, seat) in order.into_iter().enumerate() {
            let input = play.open_requests().iter().find(|open| open.seat == Seat(seat)).unwrap().input;
            assert_eq!(play.open_requests().len(), 4 - place);
            play.answer(Seat(seat), input, &Response::to("Bid", [i64::from(seat) + 1])).unwrap();
        }
        assert!(play.is_over());
        assert_eq!(*play.state(), ["dennis 1", "micah 2", "scott 3", "eliya 4"]);
        let again = FunctionMatch::run(play.record().clone(), Vec::new(), bidding).unwrap();
        assert_eq!(again.state(), play.state());
    }
}

#[test]
fn any_keeps_the_order_of_arrival_and_replays_it() {
    for order in orders() {
        let mut play = FunctionMatch::run(record(), Vec::new(), drafting).unwrap();
        for (place, seat) in order.into_iter().enumerate() {
            let card = ["imp", "orc", "elf", "ent"][place];
            play.answer_current(Seat(seat), &Response::to("Draft a card", [card])).unwrap();
        }
        let actors = play.record().responses().iter().map(|entry| entry.response().actor.clone().unwrap());
        assert!(actors.eq(order.map(|seat| NAMES[usize::from(seat)].to_owned())));
        assert_eq!(play.state()[0], format!("{} imp", NAMES[usize::from(order[0])]));
        let kept = serde_json::to_string(play.record()).unwrap();
        let again = FunctionMatch::run(serde_json::from_str(&kept).unwrap(), Vec::new(), drafting).unwrap();
        assert_eq!(again.state(), play.state());
        assert_eq!(again.record(), play.record());
    }
}

#[test]
fn a_card_that_was_taken_is_rejected_for_the_second() {
    let mut play = FunctionMatch::run(record(), Vec::new(), drafting).unwrap();
    let late = play.open_requests()[1].input;
    play.answer_current(Seat(0), &Response::to("Draft a card", ["imp"])).unwrap();
    let wish = Response::to("Draft a card", ["imp"]);
    let refusal = play.answer(Seat(1), late, &wish).unwrap_err();
    assert_eq!(refusal, Rejection::InputClosed { input: late }.into());
    let refusal = play.answer_current(Seat(1), &wish).unwrap_err();
    assert_eq!(refusal.to_string(), "Selection imp didn't exist in the choices");
}

#[test]
fn rejected_responses_change_nothing_and_give_a_reason() {
    let mut play = FunctionMatch::run(record(), Vec::new(), bidding).unwrap();
    let (first, second) = (play.open_requests()[0].input, play.open_requests()[1].input);
    let one = Response::to("Bid", [1]);
    play.answer(Seat(0), first, &one).unwrap();
    let before = (play.record().clone(), play.state().clone(), play.open_requests().to_vec());
    let named = |name: &str| Response { actor: Some(name.to_owned()), ..one.clone() };
    let cases = [
        (0, first, one.clone(), "input_closed"),
        (2, second, one.clone(), "not_your_input"),
        (1, InputId(99), one.clone(), "no_such_input"),
        (1, InputId(0), one.clone(), "no_such_input"),
        (9, second, one.clone(), "no_such_seat"),
        (1, second, named("scott"), "wrong_actor"),
        (1, second, Response::to("Choose", [1]), "wrong_title"),
        (1, second, Response::to("Bid", [5]), "no_such_option"),
        (1, second, Response::to("Bid", [1, 2]), "wrong_count"),
    ];
    for (seat, input, response, name) in cases {
        let refusal = play.answer(Seat(seat), input, &response).unwrap_err();
        assert_eq!(refusal.rejection().map(Rejection::name), Some(name), "{refusal}");
        assert_eq!(
            before,
            (play.record().clone(), play.state().clone(), play.open_requests().to_vec()),
            "{name}"
        );
    }
    play.answer(Seat(1), second, &named("micah")).unwrap();
}

#[test]
fn without_an_id_a_response_goes_to_what_its_sender_is_asked() {
    let mut play = FunctionMatch::run(record(), Vec::new(), bidding).unwrap();
    let one = Response::to("Bid", [1]);
    let (first, last) = (play.open_requests()[0].input, play.open_requests()[3].input);
    play.answer_current(Seat(0), &one).unwrap();
    play.answer_current(Seat(3), &one).unwrap();
    for (seat, input) in [(0, first), (3, last)] {
        assert_eq!(play.answer_current(Seat(seat), &one), Err(Rejection::InputClosed { input }.into()));
    }
    play.answer_current(Seat(1), &one).unwrap();
    play.answer_current(Seat(2), &one).unwrap();
    assert_eq!(play.answer_current(Seat(2), &one), Err(Rejection::MatchOver.into()));
    assert_eq!(play.answer(Seat(2), first, &one), Err(Rejection::MatchOver.into()));
}

#[test]
fn a_seat_that_is_not_asked_is_told_who_is() {
    let logic = |state: &mut bool, game: &mut GameContext<'_>| {
        *state = game.choose_yes_no(Seat(2), "Sure?")?;
        Ok(())
    };
    let mut play = FunctionMatch::run(record(), false, logic).unwrap();
    let yes = Response::to("Sure?", ["yes"]);
    assert_eq!(play.answer_current(Seat(0), &yes), Err(Rejection::NotYourInput { asked: Seat(2) }.into()));
    play.answer_current(Seat(2), &yes).unwrap();
    assert!(*play.state());
}

#[test]
fn the_last_response_can_be_undone() {
    let mut play = FunctionMatch::run(record(), Vec::new(), drafting).unwrap();
    assert_eq!(play.record().without_last(), None);
    play.answer_current(Seat(2), &Response::to("Draft a card", ["orc"])).unwrap();
    let before = play.record().clone();
    play.answer_current(Seat(0), &Response::to("Draft a card", ["imp"])).unwrap();
    assert_eq!(play.record().without_last(), Some(before.clone()));
    let again = FunctionMatch::run(before, Vec::new(), drafting).unwrap();
    assert_eq!(*again.state(), ["scott orc"]);
    assert_eq!(again.open_requests().len(), 3);
}

/// Returns whether a request is really asked.
fn asked(
    question: impl Fn() -> SelectorRequest,
    of: fn(&mut GameContext<'_>, SelectorRequest) -> Result<(), Suspension>,
) -> bool {
    let logic = |(): &mut (), game: &mut GameContext<'_>| of(game, question());
    !FunctionMatch::run(record(), (), logic).expect("the match starts").is_over()
}

#[test]
fn only_forced_requests_are_answered_automatically() {
    let one =
        |game: &mut GameContext<'_>, question: SelectorRequest| game.request_single(question).map(|_| ());
    let any =
        |game: &mut GameContext<'_>, question: SelectorRequest| game.request_any([question]).map(|_| ());
    let many =
        |game: &mut GameContext<'_>, question: SelectorRequest| game.request_many([question]).map(|_| ());
    let select =
        |choices: ChoiceList| SelectorRequest::from(Selector::select("micah", "Pick", choices).unwrap());
    let two = || ChoiceList::of(["a", "b"]).pick(PickBounds::exactly(2));
    assert!(!asked(|| select(two()), one));
    assert!(!asked(|| select(two()), many));
    assert!(!asked(|| select(ChoiceList::of(["a"])), one));
    assert!(!asked(|| select(ChoiceList::of([] as [&str; 0]).pick(PickBounds::up_to(3))), one));
    assert!(asked(|| select(ChoiceList::of(["a", "b"])), one));
    assert!(asked(|| select(ChoiceList::of(["a"]).pick(PickBounds::up_to(1))), one));
    assert!(asked(|| select(two()), any));
    assert!(asked(|| select(two()).secret(), one));
    assert!(asked(|| select(two()).always_ask(), one));
    assert!(asked(
        || select(ChoiceList::of([SelectorChoice::titled("a").with_choices(ChoiceList::of(["b"]))])),
        one
    ));
    assert!(asked(|| select(ChoiceList::of([SelectorChoice::titled("Pass").exclusive()])), one));
    assert!(asked(|| Selector::action("micah", "Pick").into(), one));
}

#[test]
fn forced_responses_are_in_the_result_but_not_in_the_record() {
    let logic = |log: &mut Vec<(bool, usize)>, game: &mut GameContext<'_>| {
        let forced =
            Selector::select("micah", "Discard", ChoiceList::of(["a", "a"]).pick(PickBounds::exactly(2)))?;
        let free = Selector::select("scott", "Discard", ChoiceList::of(["a", "b"]))?;
        for accepted in game.request_many([free, forced])? {
            log.push((accepted.response.is_user_response, accepted.selection().len()));
        }
        Ok(())
    };
    let mut play = FunctionMatch::run(record(), Vec::new(), logic).unwrap();
    assert_eq!(play.open_requests().len(), 1);
    play.answer_current(Seat(2), &Response::to("Discard", ["b"])).unwrap();
    assert_eq!(*play.state(), [(false, 2), (true, 1)]);
    assert_eq!(play.record().responses().len(), 1);
}

#[test]
fn an_open_request_blocks_later_ones() {
    let logic = |log: &mut Vec<bool>, game: &mut GameContext<'_>| {
        for title in ["One", "Two"] {
            // A function that ignores waiting.
            log.push(game.choose_yes_no(Seat(0), title).unwrap_or(false));
        }
        Ok(())
    };
    let mut play = FunctionMatch::run(record(), Vec::new(), logic).unwrap();
    assert_eq!(play.open_requests().len(), 1);
    assert_eq!(play.open_requests()[0].selector.title(), "One");
    play.answer_current(Seat(0), &Response::to("One", ["yes"])).unwrap();
    assert_eq!(play.open_requests()[0].selector.title(), "Two");
    play.answer_current(Seat(0), &Response::to("Two", ["yes"])).unwrap();
    assert_eq!(*play.state(), [true, true]);
}

#[test]
fn mistakes_of_the_function_are_reported() {
    let flaw = |logic: fn(&mut (), &mut GameContext<'_>) -> Result<(), Suspension>| {
        FunctionMatch::run(record(), (), logic).map(|_| ()).unwrap_err().to_string()
    };
    let unknown = flaw(|(), game| game.request_single(Selector::action("nobody", "T")).map(|_| ()));
    assert_eq!(unknown, "no player is named `nobody`");
    let twice = flaw(|(), game| {
        game.request_many([Selector::action("micah", "T"), Selector::action("micah", "T")]).map(|_| ())
    });
    assert_eq!(twice, "one request asks `micah` twice");
    let none = flaw(|(), game| game.request_any(Vec::<SelectorRequest>::new()).map(|_| ()));
    assert_eq!(none, "a request for the first response asks nobody");
    let empty = flaw(|(), game| game.choose_card(Seat(0), "Pick", &[] as &[&str]).map(|_| ()));
    assert_eq!(empty, "`Pick`: at least 1 must be picked, but only 0 can be");
    let same = FunctionMatch::run(
        ResponseRecord::new(["a", "a"], Seed::from_number(1)),
        (),
        |(), _: &mut GameContext<'_>| Ok(()),
    );
    assert_eq!(same.map(|_| ()).unwrap_err().to_string(), "two players are named `a`");
}

#[test]
fn an_answer_that_makes_the_function_fail_is_rejected() {
    let logic = |log: &mut u32, game: &mut GameContext<'_>| {
        *log += 1;
        match game.choose_yes_no(Seat(0), "Break it?")? {
            true => game.choose_card(Seat(0), "Pick", &[] as &[&str]).map(|_| ()),
            false => Ok(()),
        }
    };
    let mut play = FunctionMatch::run(record(), 0, logic).unwrap();
    let refusal = play.answer_current(Seat(0), &Response::to("Break it?", ["yes"])).unwrap_err();
    assert!(matches!(refusal, ResponseError::Failed(RunError::LogicError(LogicError::InvalidSelector(_)))));
    assert!(play.record().responses().is_empty() && !play.is_over());
    play.answer_current(Seat(0), &Response::to("Break it?", ["no"])).unwrap();
    assert!(play.is_over());
}

#[test]
fn a_record_of_another_match_is_refused() {
    let mut play = FunctionMatch::run(record(), Vec::new(), bidding).unwrap();
    (0..4).for_each(|seat| play.answer_current(Seat(seat), &Response::to("Bid", [1])).unwrap());
    let text = serde_json::to_string(play.record()).unwrap();
    let misfit = |text: &str| {
        let record: ResponseRecord = serde_json::from_str(text).unwrap();
        FunctionMatch::run(record, Vec::new(), bidding).map(|_| ()).unwrap_err().to_string()
    };
    let start = "of the record does not fit:";
    assert_eq!(
        misfit(&text.replacen("[1]", "[9]", 1)),
        format!("response 0 {start} Selection 9 didn't exist in the choices")
    );
    assert_eq!(
        misfit(&text.replacen("\"input\":3", "\"input\":1", 1)),
        format!("response 2 {start} no open request matches it")
    );
    assert_eq!(
        misfit(&text.replacen("\"actor\":\"micah\"", "\"actor\":\"scott\"", 1)),
        format!("response 1 {start} no open request matches it")
    );
    let more = text.replacen(
        "\"responses\":[",
        "\"responses\":[{\"input\":1,\"response\":{\"title\":\"Bid\",\"selection\":[1]}},",
        1,
    );
    assert_eq!(misfit(&more), format!("response 1 {start} no open request matches it"));
    let over = FunctionMatch::run(play.record().clone(), (), |(), _: &mut GameContext<'_>| Ok(()));
    assert_eq!(over.map(|_| ()).unwrap_err().to_string(), format!("response 0 {start} the match was over"));
    assert!(
        serde_json::from_str::<ResponseRecord>(&text.replacen("\"seed\":\"", "\"seed\":\"x", 1)).is_err()
    );
}

#[test]
fn chance_follows_from_the_seed() {
    let logic = |log: &mut Vec<u32>, game: &mut GameContext<'_>| {
        log.push(game.chance().below(1000));
        game.choose_yes_no(Seat(0), "Again?")?;
        log.push(game.chance().below(1000));
        let mut deck = [0, 1, 2, 3, 4, 5];
        game.chance().shuffle(&mut deck);
        log.extend(deck);
        Ok(())
    };
    let play = |seed| {
        let mut play =
            FunctionMatch::run(ResponseRecord::new(NAMES, Seed::from_number(seed)), Vec::new(), logic)
                .unwrap();
        let first = play.state()[0];
        play.answer_current(Seat(0), &Response::to("Again?", ["no"])).unwrap();
        assert_eq!(play.state()[0], first);
        play.state().clone()
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
}
