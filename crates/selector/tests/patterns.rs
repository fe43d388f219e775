//! The four ways to ask, each as a small game: in turn, all at once, first come, and as the cards have it.

use intermezzo_engine::Seed;
use intermezzo_ruleset::Seat;
use intermezzo_selector::*;

fn say(play: &Response, seat: u8) -> (Seat, Response) {
    (Seat(seat), play.clone())
}

/// Plays responses one after the other and gives the state they lead to, which the record leads to as well.
fn played<S, L>(players: &[&str], initial: &S, logic: &L, script: &[(Seat, Response)]) -> S
where
    S: Clone + PartialEq + std::fmt::Debug,
    L: Fn(&mut S, &mut Table<'_>) -> Result<(), Stop>,
{
    let record = Record::new(players.iter().copied(), Seed::from_number(3));
    let mut play = Play::run(record, initial.clone(), logic).expect("the match begins");
    for (seat, response) in script {
        play.respond(*seat, response).unwrap_or_else(|refusal| panic!("{response:?}: {refusal}"));
    }
    assert!(play.is_over(), "{:?}", play.open());
    let kept = serde_json::to_string(play.record()).expect("a record can be written");
    let kept = serde_json::from_str(&kept).expect("a record can be read");
    let again = Play::run(kept, initial.clone(), logic).expect("the record is one of this match");
    assert_eq!(again.state(), play.state());
    play.state().clone()
}

/// Two players take one to three of nine matches in turn; who takes the last one loses.
fn nim(state: &mut (i64, Option<Seat>), table: &mut Table<'_>) -> Result<(), Stop> {
    let seats: Vec<Seat> = table.seats().collect();
    for seat in seats.iter().cycle() {
        let taken = Choices::of(1..=state.0.min(3));
        let taken = table.choose(*seat, "Take matches", taken)?;
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
    let take = |seat: u8, count: i64| say(&Response::to("Take matches", [count]), seat);
    let script = [take(0, 3), take(1, 2), take(0, 3)];
    // One is left: player 1 has no choice and takes it without being asked.
    assert_eq!(played(&["dennis", "micah"], &(9, None), &nim, &script), (0, Some(Seat(1))));
}

/// A card of a small market.
#[derive(Clone, PartialEq, Debug)]
struct Card {
    name: &'static str,
    number: i64,
}

impl Titled for Card {
    fn title(&self) -> Name {
        self.name.into()
    }

    fn id(&self) -> Option<Name> {
        Some(self.number.into())
    }
}

fn market() -> Vec<Card> {
    let names = ["imp", "imp", "orc", "elf"];
    names.into_iter().zip(1..).map(|(name, number)| Card { name, number }).collect()
}

/// Players lay a card at once; the lower name begins, and draws first.
fn first_picks(order: &mut Vec<String>, table: &mut Table<'_>) -> Result<(), Stop> {
    let selectors = table.seats().map(|seat| {
        let cards = Choices::of(market().iter().map(|card| Choice::titled(card.name).with_id(card.number)));
        Selector::select(table.name(seat), "First card", cards)
    });
    let selectors = selectors.collect::<Result<Vec<_>, _>>()?;
    let mut picks = table.request_many(selectors)?;
    picks.sort_by(|a, b| a.picks[0].title.cmp(&b.picks[0].title));
    order.extend(picks.iter().map(|accepted| table.name(accepted.seat).to_owned()));
    Ok(())
}

#[test]
fn all_choose_before_anything_happens() {
    let pick = |seat: u8, card: &str| say(&Response::to("First card", [card]), seat);
    let names = ["dennis", "micah", "scott"];
    let script = [pick(2, "imp"), pick(0, "orc"), pick(1, "elf")];
    assert_eq!(played(&names, &Vec::new(), &first_picks, &script), ["micah", "scott", "dennis"]);
}

/// Cards lie open; whoever is first takes one, until everyone has one.
fn draft(taken: &mut Vec<(Seat, Card)>, table: &mut Table<'_>) -> Result<(), Stop> {
    let mut cards = market();
    loop {
        let waiting = table.seats().filter(|seat| taken.iter().all(|(other, _)| other != seat));
        let selectors = waiting.map(|seat| {
            let cards = Choices::of(cards.iter().map(|card| Choice::titled(card.name).with_id(card.number)));
            Selector::select(table.name(seat), "Take a card", cards)
        });
        let selectors = selectors.collect::<Result<Vec<_>, _>>()?;
        if selectors.is_empty() {
            return Ok(());
        }
        let first = table.request_any(selectors)?;
        taken.push((first.seat, cards.remove(first.picks[0].index)));
    }
}

#[test]
fn the_first_to_come_is_served_first() {
    let by_id = |seat: u8, id: i64| say(&Response::to("Take a card", [Pick::by_id(id)]), seat);
    let by_name = |seat: u8, name: &str| say(&Response::to("Take a card", [name]), seat);
    let names = ["dennis", "micah", "scott"];
    let taken = |script: &[(Seat, Response)]| -> Vec<(u8, i64)> {
        let taken = played(&names, &Vec::new(), &draft, script);
        taken.iter().map(|(seat, card)| (seat.0, card.number)).collect()
    };
    assert_eq!(taken(&[by_id(1, 2), by_name(0, "imp"), by_name(2, "orc")]), [(1, 2), (0, 1), (2, 3)]);
    assert_eq!(taken(&[by_name(2, "imp"), by_name(1, "imp"), by_name(0, "elf")]), [(2, 1), (1, 2), (0, 4)]);
}

/// What a player of the sharing game has done.
#[derive(Clone, PartialEq, Debug, Default)]
struct Sharing {
    told: Vec<String>,
}

/// A player uses a card. Whoever has as many of its symbol shares it: then all of them discard at once, else one.
fn sharing(state: &mut Sharing, table: &mut Table<'_>) -> Result<(), Stop> {
    let castles = [2, 3, 1];
    let active = Seat(0);
    let action = Choices::of([
        Choice::titled("Dogma").with_choices(Choices::of(["Archery", "Sailing"])),
        Choice::titled("Draw"),
    ]);
    let action = table.choose(active, "Choose Action", action)?;
    if action[0].title == "Draw" {
        let card = *table.choose_card(active, "Keep a card", &["Tools", "Oars"])?;
        state.told.push(format!("{} keeps {card}", table.name(active)));
        return Ok(());
    }
    let shares = action[0].picks[0].title == "Archery";
    let discard = |seat: Seat| {
        let cards =
            Choices::of(["Tools", "Oars", "Clothing"]).pick(Bounds::exactly(castles[usize::from(seat.0)]));
        Selector::select(table.name(seat), "Discard", cards)
    };
    let sharing = table.seats().filter(|seat| *seat != active && castles[usize::from(seat.0)] >= castles[0]);
    let asked: Vec<Seat> = [active].into_iter().chain(sharing.filter(|_| shares)).collect();
    let selectors = asked.into_iter().map(discard).collect::<Result<Vec<_>, _>>()?;
    let responses = match <[Selector; 1]>::try_from(selectors) {
        Ok([selector]) => vec![table.request_single(selector)?],
        Err(selectors) => table.request_many(selectors)?,
    };
    for accepted in responses {
        let cards: Vec<String> = accepted.picks.iter().map(|picked| picked.title.to_string()).collect();
        state.told.push(format!("{} discards {}", table.name(accepted.seat), cards.join(" and ")));
    }
    let loser = table.choose_player(active, "Who is hit?", &[Seat(1), Seat(2)])?;
    if table.choose_yes_no(active, "Really?")? {
        state.told.push(format!("{} is hit", table.name(loser)));
    }
    Ok(())
}

#[test]
fn one_or_many_are_asked_as_the_cards_have_it() {
    let names = ["dennis", "micah", "scott"];
    let play = |script: &[(Seat, Response)]| played(&names, &Sharing::default(), &sharing, script).told;
    let dogma = |card: &str| say(&Response::to("Choose Action", [Pick::titled("Dogma").with([card])]), 0);
    let discard = say(&Response::to("Discard", ["Oars", "Tools"]), 0);
    let hit = say(&Response::to("Who is hit?", ["scott"]), 0);
    let sure = |word: &str| say(&Response::to("Really?", [word]), 0);
    // Micah shares, but must discard all three and is not asked.
    assert_eq!(
        play(&[dogma("Archery"), discard.clone(), hit.clone(), sure("yes")]),
        ["dennis discards Oars and Tools", "micah discards Tools and Oars and Clothing", "scott is hit"],
    );
    assert_eq!(play(&[dogma("Sailing"), discard, hit, sure("no")]), ["dennis discards Oars and Tools"]);
    let draw = say(&Response::to("Choose Action", ["Draw"]), 0);
    let keep = say(&Response::to("Keep a card", ["Oars"]), 0);
    assert_eq!(play(&[draw, keep]), ["dennis keeps Oars"]);
}

#[test]
fn several_cards_are_chosen_in_the_order_picked() {
    let logic = |state: &mut Vec<i64>, table: &mut Table<'_>| {
        let cards = market();
        let chosen = table.choose_cards(Seat(0), "Take two", &cards, Bounds::exactly(2))?;
        state.extend(chosen.iter().map(|card| card.number));
        Ok(())
    };
    let script = [say(&Response::to("Take two", [Pick::titled("elf"), Pick::titled("imp").clone()]), 0)];
    assert_eq!(played(&["dennis"], &Vec::new(), &logic, &script), [4, 1]);
}

#[test]
fn a_free_form_request_gives_what_was_sent() {
    let logic = |state: &mut Vec<Pick>, table: &mut Table<'_>| {
        state.extend_from_slice(table.request_single(Selector::action("dennis", "Act"))?.selection());
        Ok(())
    };
    let sent = Response::from_json(
        r#"{"title": "Act", "selection": ["move", 3, {"title": "to", "selection": [4]}]}"#,
    );
    let sent = sent.unwrap();
    assert_eq!(played(&["dennis"], &Vec::new(), &logic, &[(Seat(0), sent.clone())]), sent.selection);
}
