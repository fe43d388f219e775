//! Four small games, one per way to ask: in turn, all at once, first come, and depending on the cards.

use intermezzo_engine::Seed;
use intermezzo_program::Seat;
use intermezzo_selector::*;

fn response_of(play: &Response, seat: u8) -> (Seat, Response) {
    (Seat(seat), play.clone())
}

/// Plays the responses in order, checks that the record leads to the same state, and returns the state.
fn run_script<S, L>(players: &[&str], initial: &S, logic: &L, script: &[(Seat, Response)]) -> S
where
    S: Clone + PartialEq + std::fmt::Debug,
    L: Fn(&mut S, &mut GameContext<'_>) -> Result<(), Suspension>,
{
    let record = ResponseRecord::new(players.iter().copied(), Seed::from_number(3));
    let mut play = FunctionMatch::run(record, initial.clone(), logic).expect("the match starts");
    for (seat, response) in script {
        play.answer_current(*seat, response).unwrap_or_else(|refusal| panic!("{response:?}: {refusal}"));
    }
    assert!(play.is_over(), "{:?}", play.open_requests());
    let kept = serde_json::to_string(play.record()).expect("a record serializes");
    let kept = serde_json::from_str(&kept).expect("a record parses");
    let again = FunctionMatch::run(kept, initial.clone(), logic).expect("the record belongs to this match");
    assert_eq!(again.state(), play.state());
    play.state().clone()
}

/// Two players take one to three of nine matches in turn; taking the last one loses.
fn nim(state: &mut (i64, Option<Seat>), game: &mut GameContext<'_>) -> Result<(), Suspension> {
    let seats: Vec<Seat> = game.seats().collect();
    for seat in seats.iter().cycle() {
        let taken = ChoiceList::of(1..=state.0.min(3));
        let taken = game.choose(*seat, "Take matches", taken)?;
        state.0 -= taken[0].index as i64 + 1;
        if state.0 == 0 {
            state.1 = Some(*seat);
            break;
        }
    }
    Ok(())
}

#[test]
fn players_take_turns() {
    let take = |seat: u8, count: i64| response_of(&Response::to("Take matches", [count]), seat);
    let script = [take(0, 3), take(1, 2), take(0, 3)];
    // One is left: player 1 has only one choice, which is made automatically.
    assert_eq!(run_script(&["dennis", "micah"], &(9, None), &nim, &script), (0, Some(Seat(1))));
}

/// A card of a small market.
#[derive(Clone, PartialEq, Debug)]
struct MarketCard {
    name: &'static str,
    number: i64,
}

impl HasTitle for MarketCard {
    fn title(&self) -> ChoiceName {
        self.name.into()
    }

    fn id(&self) -> Option<ChoiceName> {
        Some(self.number.into())
    }
}

fn market() -> Vec<MarketCard> {
    let names = ["imp", "imp", "orc", "elf"];
    names.into_iter().zip(1..).map(|(name, number)| MarketCard { name, number }).collect()
}

/// Players lay a card at once; the lower name begins.
fn first_picks(order: &mut Vec<String>, game: &mut GameContext<'_>) -> Result<(), Suspension> {
    let selectors = game.seats().map(|seat| {
        let cards = ChoiceList::of(
            market().iter().map(|card| SelectorChoice::titled(card.name).with_id(card.number)),
        );
        Selector::select(game.name(seat), "First card", cards)
    });
    let selectors = selectors.collect::<Result<Vec<_>, _>>()?;
    let mut picks = game.request_many(selectors)?;
    picks.sort_by(|a, b| a.picks[0].title.cmp(&b.picks[0].title));
    order.extend(picks.iter().map(|accepted| game.name(accepted.seat).to_owned()));
    Ok(())
}

#[test]
fn all_choose_before_anything_happens() {
    let pick = |seat: u8, card: &str| response_of(&Response::to("First card", [card]), seat);
    let names = ["dennis", "micah", "scott"];
    let script = [pick(2, "imp"), pick(0, "orc"), pick(1, "elf")];
    assert_eq!(run_script(&names, &Vec::new(), &first_picks, &script), ["micah", "scott", "dennis"]);
}

/// Players take one open card each, first come, first served.
fn draft(taken: &mut Vec<(Seat, MarketCard)>, game: &mut GameContext<'_>) -> Result<(), Suspension> {
    let mut cards = market();
    loop {
        let waiting = game.seats().filter(|seat| taken.iter().all(|(other, _)| other != seat));
        let selectors = waiting.map(|seat| {
            let cards = ChoiceList::of(
                cards.iter().map(|card| SelectorChoice::titled(card.name).with_id(card.number)),
            );
            Selector::select(game.name(seat), "Take a card", cards)
        });
        let selectors = selectors.collect::<Result<Vec<_>, _>>()?;
        if selectors.is_empty() {
            return Ok(());
        }
        let first = game.request_any(selectors)?;
        taken.push((first.seat, cards.remove(first.picks[0].index)));
    }
}

#[test]
fn the_first_to_come_is_served_first() {
    let by_id = |seat: u8, id: i64| response_of(&Response::to("Take a card", [Pick::by_id(id)]), seat);
    let by_name = |seat: u8, name: &str| response_of(&Response::to("Take a card", [name]), seat);
    let names = ["dennis", "micah", "scott"];
    let taken = |script: &[(Seat, Response)]| -> Vec<(u8, i64)> {
        let taken = run_script(&names, &Vec::new(), &draft, script);
        taken.iter().map(|(seat, card)| (seat.0, card.number)).collect()
    };
    assert_eq!(taken(&[by_id(1, 2), by_name(0, "imp"), by_name(2, "orc")]), [(1, 2), (0, 1), (2, 3)]);
    assert_eq!(taken(&[by_name(2, "imp"), by_name(1, "imp"), by_name(0, "elf")]), [(2, 1), (1, 2), (0, 4)]);
}

/// The log of the sharing game.
#[derive(Clone, PartialEq, Debug, Default)]
struct SharingState {
    log: Vec<String>,
}

/// A player uses a card. Players with at least as many castles share it: then all of them discard at once,
/// otherwise one does.
fn sharing(state: &mut SharingState, game: &mut GameContext<'_>) -> Result<(), Suspension> {
    let castles = [2, 3, 1];
    let active = Seat(0);
    let action = ChoiceList::of([
        SelectorChoice::titled("Dogma").with_choices(ChoiceList::of(["Archery", "Sailing"])),
        SelectorChoice::titled("Draw"),
    ]);
    let action = game.choose(active, "Choose Action", action)?;
    if action[0].title == "Draw" {
        let card = *game.choose_card(active, "Keep a card", &["Tools", "Oars"])?;
        state.log.push(format!("{} keeps {card}", game.name(active)));
        return Ok(());
    }
    let shares = action[0].picks[0].title == "Archery";
    let discard = |seat: Seat| {
        let cards = ChoiceList::of(["Tools", "Oars", "Clothing"])
            .pick(PickBounds::exactly(castles[usize::from(seat.0)]));
        Selector::select(game.name(seat), "Discard", cards)
    };
    let sharing = game.seats().filter(|seat| *seat != active && castles[usize::from(seat.0)] >= castles[0]);
    let asked: Vec<Seat> = [active].into_iter().chain(sharing.filter(|_| shares)).collect();
    let selectors = asked.into_iter().map(discard).collect::<Result<Vec<_>, _>>()?;
    let responses = match <[Selector; 1]>::try_from(selectors) {
        Ok([selector]) => vec![game.request_single(selector)?],
        Err(selectors) => game.request_many(selectors)?,
    };
    for accepted in responses {
        let cards: Vec<String> = accepted.picks.iter().map(|picked| picked.title.to_string()).collect();
        state.log.push(format!("{} discards {}", game.name(accepted.seat), cards.join(" and ")));
    }
    let loser = game.choose_player(active, "Who is hit?", &[Seat(1), Seat(2)])?;
    if game.choose_yes_no(active, "Really?")? {
        state.log.push(format!("{} is hit", game.name(loser)));
    }
    Ok(())
}

#[test]
fn one_or_many_are_asked_as_the_cards_have_it() {
    let names = ["dennis", "micah", "scott"];
    let play =
        |script: &[(Seat, Response)]| run_script(&names, &SharingState::default(), &sharing, script).log;
    let dogma =
        |card: &str| response_of(&Response::to("Choose Action", [Pick::titled("Dogma").with([card])]), 0);
    let discard = response_of(&Response::to("Discard", ["Oars", "Tools"]), 0);
    let hit = response_of(&Response::to("Who is hit?", ["scott"]), 0);
    let sure = |word: &str| response_of(&Response::to("Really?", [word]), 0);
    // Micah shares, but must discard all three cards, so nobody asks.
    assert_eq!(
        play(&[dogma("Archery"), discard.clone(), hit.clone(), sure("yes")]),
        ["dennis discards Oars and Tools", "micah discards Tools and Oars and Clothing", "scott is hit"],
    );
    assert_eq!(play(&[dogma("Sailing"), discard, hit, sure("no")]), ["dennis discards Oars and Tools"]);
    let draw = response_of(&Response::to("Choose Action", ["Draw"]), 0);
    let keep = response_of(&Response::to("Keep a card", ["Oars"]), 0);
    assert_eq!(play(&[draw, keep]), ["dennis keeps Oars"]);
}

#[test]
fn several_cards_are_chosen_in_the_order_picked() {
    let logic = |state: &mut Vec<i64>, game: &mut GameContext<'_>| {
        let cards = market();
        let chosen = game.choose_cards(Seat(0), "Take two", &cards, PickBounds::exactly(2))?;
        state.extend(chosen.iter().map(|card| card.number));
        Ok(())
    };
    let script =
        [response_of(&Response::to("Take two", [Pick::titled("elf"), Pick::titled("imp").clone()]), 0)];
    assert_eq!(run_script(&["dennis"], &Vec::new(), &logic, &script), [4, 1]);
}

#[test]
fn a_free_form_request_gives_what_was_sent() {
    let logic = |state: &mut Vec<Pick>, game: &mut GameContext<'_>| {
        state.extend_from_slice(game.request_single(Selector::action("dennis", "Act"))?.selection());
        Ok(())
    };
    let sent = Response::from_json(
        r#"{"title": "Act", "selection": ["move", 3, {"title": "to", "selection": [4]}]}"#,
    );
    let sent = sent.unwrap();
    assert_eq!(run_script(&["dennis"], &Vec::new(), &logic, &[(Seat(0), sent.clone())]), sent.selection);
}
