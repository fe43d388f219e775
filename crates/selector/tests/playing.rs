//! Matches whose rules are a function: asking one, many and any, in whatever order answers arrive.

use intermezzo_engine::{InputId, Rejection, Seed};
use intermezzo_ruleset::Seat;
use intermezzo_selector::*;

const NAMES: [&str; 4] = ["dennis", "micah", "scott", "eliya"];

fn record() -> Record {
    Record::new(NAMES, Seed::from_number(1))
}

fn bid(table: &Table<'_>, seat: Seat) -> Result<Selector, Impossible> {
    Selector::select(table.name(seat), "Bid", Choices::of([1, 2, 3, 4]))
}

/// Everyone bids at once.
fn bidding(told: &mut Vec<String>, table: &mut Table<'_>) -> Result<(), Stop> {
    // Asked from the last seat to the first: neither this nor the order of arrival matters.
    let mut selectors = table.seats().map(|seat| bid(table, seat)).collect::<Result<Vec<_>, _>>()?;
    selectors.reverse();
    for accepted in table.request_many(selectors)? {
        told.push(format!("{} {}", accepted.response.actor.unwrap_or_default(), accepted.picks[0].title));
    }
    Ok(())
}

/// Players draft one card each, whoever comes first.
fn drafting(told: &mut Vec<String>, table: &mut Table<'_>) -> Result<(), Stop> {
    let mut cards = vec!["imp", "orc", "elf", "ent", "roc"];
    let mut seats: Vec<Seat> = table.seats().collect();
    while !seats.is_empty() {
        let choices = || Choices::of(cards.iter().copied());
        let selector = |seat: &Seat| Selector::select(table.name(*seat), "Draft a card", choices());
        let selectors = seats.iter().map(selector).collect::<Result<Vec<_>, _>>()?;
        let first = table.request_any(selectors)?;
        told.push(format!("{} {}", table.name(first.seat), first.picks[0].title));
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
        let mut play = Play::run(record(), Vec::new(), bidding).unwrap();
        assert_eq!(play.open().len(), 4);
        for (place, seat) in order.into_iter().enumerate() {
            let input = play.open().iter().find(|open| open.seat == Seat(seat)).unwrap().input;
            assert_eq!(play.open().len(), 4 - place);
            play.answer(Seat(seat), input, &Response::to("Bid", [i64::from(seat) + 1])).unwrap();
        }
        assert!(play.is_over());
        assert_eq!(*play.state(), ["dennis 1", "micah 2", "scott 3", "eliya 4"]);
        let again = Play::run(play.record().clone(), Vec::new(), bidding).unwrap();
        assert_eq!(again.state(), play.state());
    }
}

#[test]
fn any_keeps_the_order_of_arrival_and_replays_it() {
    for order in orders() {
        let mut play = Play::run(record(), Vec::new(), drafting).unwrap();
        for (place, seat) in order.into_iter().enumerate() {
            let card = ["imp", "orc", "elf", "ent"][place];
            play.respond(Seat(seat), &Response::to("Draft a card", [card])).unwrap();
        }
        let actors = play.record().responses().iter().map(|entry| entry.response().actor.clone().unwrap());
        assert!(actors.eq(order.map(|seat| NAMES[usize::from(seat)].to_owned())));
        assert_eq!(play.state()[0], format!("{} imp", NAMES[usize::from(order[0])]));
        let kept = serde_json::to_string(play.record()).unwrap();
        let again = Play::run(serde_json::from_str(&kept).unwrap(), Vec::new(), drafting).unwrap();
        assert_eq!(again.state(), play.state());
        assert_eq!(again.record(), play.record());
    }
}

#[test]
fn the_second_to_want_a_card_is_told_that_it_is_gone() {
    let mut play = Play::run(record(), Vec::new(), drafting).unwrap();
    let late = play.open()[1].input;
    play.respond(Seat(0), &Response::to("Draft a card", ["imp"])).unwrap();
    let wish = Response::to("Draft a card", ["imp"]);
    let refusal = play.answer(Seat(1), late, &wish).unwrap_err();
    assert_eq!(refusal, Rejection::InputClosed { input: late }.into());
    let refusal = play.respond(Seat(1), &wish).unwrap_err();
    assert_eq!(refusal.to_string(), "Selection imp didn't exist in the choices");
}

#[test]
fn what_is_refused_changes_nothing_and_says_why() {
    let mut play = Play::run(record(), Vec::new(), bidding).unwrap();
    let (first, second) = (play.open()[0].input, play.open()[1].input);
    let one = Response::to("Bid", [1]);
    play.answer(Seat(0), first, &one).unwrap();
    let before = (play.record().clone(), play.state().clone(), play.open().to_vec());
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
        assert_eq!(before, (play.record().clone(), play.state().clone(), play.open().to_vec()), "{name}");
    }
    play.answer(Seat(1), second, &named("micah")).unwrap();
}

#[test]
fn without_an_id_a_response_goes_to_what_its_sender_is_asked() {
    let mut play = Play::run(record(), Vec::new(), bidding).unwrap();
    let one = Response::to("Bid", [1]);
    let (first, last) = (play.open()[0].input, play.open()[3].input);
    play.respond(Seat(0), &one).unwrap();
    play.respond(Seat(3), &one).unwrap();
    for (seat, input) in [(0, first), (3, last)] {
        assert_eq!(play.respond(Seat(seat), &one), Err(Rejection::InputClosed { input }.into()));
    }
    play.respond(Seat(1), &one).unwrap();
    play.respond(Seat(2), &one).unwrap();
    assert_eq!(play.respond(Seat(2), &one), Err(Rejection::MatchOver.into()));
    assert_eq!(play.answer(Seat(2), first, &one), Err(Rejection::MatchOver.into()));
}

#[test]
fn a_seat_that_is_not_asked_is_told_who_is() {
    let logic = |state: &mut bool, table: &mut Table<'_>| {
        *state = table.choose_yes_no(Seat(2), "Sure?")?;
        Ok(())
    };
    let mut play = Play::run(record(), false, logic).unwrap();
    let yes = Response::to("Sure?", ["yes"]);
    assert_eq!(play.respond(Seat(0), &yes), Err(Rejection::NotYourInput { asked: Seat(2) }.into()));
    play.respond(Seat(2), &yes).unwrap();
    assert!(*play.state());
}

#[test]
fn the_last_response_can_be_taken_back() {
    let mut play = Play::run(record(), Vec::new(), drafting).unwrap();
    assert_eq!(play.record().without_last(), None);
    play.respond(Seat(2), &Response::to("Draft a card", ["orc"])).unwrap();
    let before = play.record().clone();
    play.respond(Seat(0), &Response::to("Draft a card", ["imp"])).unwrap();
    assert_eq!(play.record().without_last(), Some(before.clone()));
    let again = Play::run(before, Vec::new(), drafting).unwrap();
    assert_eq!(*again.state(), ["scott orc"]);
    assert_eq!(again.open().len(), 3);
}

/// Which of the questions are asked.
fn asked(question: impl Fn() -> Question, of: fn(&mut Table<'_>, Question) -> Result<(), Stop>) -> bool {
    let logic = |(): &mut (), table: &mut Table<'_>| of(table, question());
    !Play::run(record(), (), logic).expect("the match begins").is_over()
}

#[test]
fn only_what_has_one_answer_is_not_asked() {
    let one = |table: &mut Table<'_>, question: Question| table.request_single(question).map(|_| ());
    let any = |table: &mut Table<'_>, question: Question| table.request_any([question]).map(|_| ());
    let many = |table: &mut Table<'_>, question: Question| table.request_many([question]).map(|_| ());
    let select = |choices: Choices| Question::from(Selector::select("micah", "Pick", choices).unwrap());
    let two = || Choices::of(["a", "b"]).pick(Bounds::exactly(2));
    assert!(!asked(|| select(two()), one));
    assert!(!asked(|| select(two()), many));
    assert!(!asked(|| select(Choices::of(["a"])), one));
    assert!(!asked(|| select(Choices::of([] as [&str; 0]).pick(Bounds::up_to(3))), one));
    assert!(asked(|| select(Choices::of(["a", "b"])), one));
    assert!(asked(|| select(Choices::of(["a"]).pick(Bounds::up_to(1))), one));
    assert!(asked(|| select(two()), any));
    assert!(asked(|| select(two()).secret(), one));
    assert!(asked(|| select(two()).always(), one));
    assert!(asked(|| select(Choices::of([Choice::titled("a").with_choices(Choices::of(["b"]))])), one));
    assert!(asked(|| select(Choices::of([Choice::titled("Pass").exclusive()])), one));
    assert!(asked(|| Selector::action("micah", "Pick").into(), one));
}

#[test]
fn what_answers_itself_is_in_the_result_and_not_in_the_record() {
    let logic = |told: &mut Vec<(bool, usize)>, table: &mut Table<'_>| {
        let forced = Selector::select("micah", "Discard", Choices::of(["a", "a"]).pick(Bounds::exactly(2)))?;
        let free = Selector::select("scott", "Discard", Choices::of(["a", "b"]))?;
        for accepted in table.request_many([free, forced])? {
            told.push((accepted.response.is_user_response, accepted.selection().len()));
        }
        Ok(())
    };
    let mut play = Play::run(record(), Vec::new(), logic).unwrap();
    assert_eq!(play.open().len(), 1);
    play.respond(Seat(2), &Response::to("Discard", ["b"])).unwrap();
    assert_eq!(*play.state(), [(false, 2), (true, 1)]);
    assert_eq!(play.record().responses().len(), 1);
}

#[test]
fn nothing_goes_on_behind_an_open_question() {
    let logic = |told: &mut Vec<bool>, table: &mut Table<'_>| {
        for title in ["One", "Two"] {
            // A function that takes no notice of waiting.
            told.push(table.choose_yes_no(Seat(0), title).unwrap_or(false));
        }
        Ok(())
    };
    let mut play = Play::run(record(), Vec::new(), logic).unwrap();
    assert_eq!(play.open().len(), 1);
    assert_eq!(play.open()[0].selector.title(), "One");
    play.respond(Seat(0), &Response::to("One", ["yes"])).unwrap();
    assert_eq!(play.open()[0].selector.title(), "Two");
    play.respond(Seat(0), &Response::to("Two", ["yes"])).unwrap();
    assert_eq!(*play.state(), [true, true]);
}

#[test]
fn mistakes_of_the_function_are_told() {
    let flaw = |logic: fn(&mut (), &mut Table<'_>) -> Result<(), Stop>| {
        Play::run(record(), (), logic).map(|_| ()).unwrap_err().to_string()
    };
    let unknown = flaw(|(), table| table.request_single(Selector::action("nobody", "T")).map(|_| ()));
    assert_eq!(unknown, "nobody called `nobody` plays");
    let twice = flaw(|(), table| {
        table.request_many([Selector::action("micah", "T"), Selector::action("micah", "T")]).map(|_| ())
    });
    assert_eq!(twice, "one request asks `micah` twice");
    let none = flaw(|(), table| table.request_any(Vec::<Question>::new()).map(|_| ()));
    assert_eq!(none, "a request for the first response asks nobody");
    let empty = flaw(|(), table| table.choose_card(Seat(0), "Pick", &[] as &[&str]).map(|_| ()));
    assert_eq!(empty, "of `Pick` 1 must be picked, but only 0 can be");
    let same = Play::run(Record::new(["a", "a"], Seed::from_number(1)), (), |(), _: &mut Table<'_>| Ok(()));
    assert_eq!(same.map(|_| ()).unwrap_err().to_string(), "two players are called `a`");
}

#[test]
fn an_answer_the_function_cannot_go_on_from_is_refused() {
    let logic = |told: &mut u32, table: &mut Table<'_>| {
        *told += 1;
        match table.choose_yes_no(Seat(0), "Break it?")? {
            true => table.choose_card(Seat(0), "Pick", &[] as &[&str]).map(|_| ()),
            false => Ok(()),
        }
    };
    let mut play = Play::run(record(), 0, logic).unwrap();
    let refusal = play.respond(Seat(0), &Response::to("Break it?", ["yes"])).unwrap_err();
    assert!(matches!(refusal, Refusal::Failed(Trouble::Flawed(Flaw::Impossible(_)))));
    assert!(play.record().responses().is_empty() && !play.is_over());
    play.respond(Seat(0), &Response::to("Break it?", ["no"])).unwrap();
    assert!(play.is_over());
}

#[test]
fn a_record_of_another_match_is_refused() {
    let mut play = Play::run(record(), Vec::new(), bidding).unwrap();
    (0..4).for_each(|seat| play.respond(Seat(seat), &Response::to("Bid", [1])).unwrap());
    let text = serde_json::to_string(play.record()).unwrap();
    let misfit = |text: &str| {
        let record: Record = serde_json::from_str(text).unwrap();
        Play::run(record, Vec::new(), bidding).map(|_| ()).unwrap_err().to_string()
    };
    let start = "of the record does not fit:";
    assert_eq!(
        misfit(&text.replacen("[1]", "[9]", 1)),
        format!("response 0 {start} Selection 9 didn't exist in the choices")
    );
    assert_eq!(
        misfit(&text.replacen("\"input\":3", "\"input\":1", 1)),
        format!("response 2 {start} nothing asked for it")
    );
    assert_eq!(
        misfit(&text.replacen("\"actor\":\"micah\"", "\"actor\":\"scott\"", 1)),
        format!("response 1 {start} nothing asked for it")
    );
    let more = text.replacen(
        "\"responses\":[",
        "\"responses\":[{\"input\":1,\"response\":{\"title\":\"Bid\",\"selection\":[1]}},",
        1,
    );
    assert_eq!(misfit(&more), format!("response 1 {start} nothing asked for it"));
    let over = Play::run(play.record().clone(), (), |(), _: &mut Table<'_>| Ok(()));
    assert_eq!(over.map(|_| ()).unwrap_err().to_string(), format!("response 0 {start} the match was over"));
    assert!(serde_json::from_str::<Record>(&text.replacen("\"seed\":\"", "\"seed\":\"x", 1)).is_err());
}

#[test]
fn chance_follows_from_the_seed() {
    let logic = |told: &mut Vec<u32>, table: &mut Table<'_>| {
        told.push(table.chance().below(1000));
        table.choose_yes_no(Seat(0), "Again?")?;
        told.push(table.chance().below(1000));
        let mut deck = [0, 1, 2, 3, 4, 5];
        table.chance().shuffle(&mut deck);
        told.extend(deck);
        Ok(())
    };
    let play = |seed| {
        let mut play = Play::run(Record::new(NAMES, Seed::from_number(seed)), Vec::new(), logic).unwrap();
        let first = play.state()[0];
        play.respond(Seat(0), &Response::to("Again?", ["no"])).unwrap();
        assert_eq!(play.state()[0], first);
        play.state().clone()
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
}
