//! The hand-written twins play the benchmark games exactly as defined.
//!
//! The digests come from independent implementations. The other tests help to
//! locate the cause when a digest no longer matches.

use intermezzo_benches::twins::mulberry::{Fnv, Mulberry};
use intermezzo_benches::twins::{TwinOutcome, TwinSeat, duel, minitcg};

#[test]
fn the_generator_is_mulberry32() {
    let mut rng = Mulberry::new(1);
    let drawn = [rng.next_u32(), rng.next_u32(), rng.next_u32()];
    assert_eq!(drawn, [2_693_262_067, 11_749_833, 2_265_367_787]);
}

#[test]
fn a_number_below_a_bound_is_a_scaled_draw() {
    assert_eq!(Mulberry::new(1).below(24), 15);
    assert_eq!(Mulberry::new(1).below(1), 0);
}

#[test]
fn the_digest_is_fnv_1a() {
    let mut digest = Fnv::new();
    assert_eq!(digest.finish(), 0x811c_9dc5);
    digest.write(b"foobar");
    assert_eq!(digest.finish(), 0xbf9c_f968);
}

#[test]
fn the_duel_plays_duel_v1() {
    assert_eq!(format!("{:08x}", duel::digest(1..=1000)), "2709b465");
}

#[test]
fn minitcg_plays_minitcg_v1() {
    assert_eq!(format!("{:08x}", minitcg::digest(1..=1000)), "dd376ec7");
}

#[test]
fn layouts_are_listed_in_lexicographic_order() {
    use duel::DuelCard::{Attack, Counter, Defense, Heal};

    assert_eq!(duel::DuelMove::at(0).layout(), [Attack, Defense, Heal]);
    assert_eq!(duel::DuelMove::at(1).layout(), [Attack, Defense, Counter]);
    assert_eq!(duel::DuelMove::at(23).layout(), [Counter, Heal, Defense]);
}

#[test]
fn equal_layouts_end_in_a_draw() {
    let mut duel = duel::Duel::new(&mut Mulberry::new(1));
    // Attack, defense, counter: each round costs both seats 2 life.
    for round in 1..=5 {
        assert!(!duel.is_over(), "round {round}");
        duel.apply(duel::DuelMove::at(1));
        duel.apply(duel::DuelMove::at(1));
        assert_eq!(duel.hp(), [10 - 2 * round; 2]);
    }
    assert_eq!(duel.outcome(), Some(TwinOutcome::Draw));
}

#[test]
fn shuffled_decks_and_their_generator_reproduce_the_match() {
    for seed in 1..=100 {
        let (first, second, mut rng) = minitcg::shuffled_decks(seed);
        let mut state = minitcg::MiniTcg::with_decks(&first, &second);
        let mut moves = Vec::new();
        let mut actions = 0;
        while !state.is_over() {
            state.legal_moves(&mut moves);
            state.apply(moves[rng.below(moves.len() as u32) as usize]);
            actions += 1;
        }

        let summary = minitcg::play(seed);
        assert_eq!(actions, summary.actions, "seed {seed}");
        assert_eq!(state.outcome(), Some(summary.outcome), "seed {seed}");
        assert_eq!(TwinSeat::BOTH.map(|seat| state.hp(seat)), summary.hp);
    }
}

#[test]
fn every_card_stays_with_its_owner() {
    for seed in 1..=200 {
        let mut rng = Mulberry::new(seed);
        let mut state = minitcg::MiniTcg::new(&mut rng);
        let mut moves = Vec::new();
        while !state.is_over() {
            for seat in TwinSeat::BOTH {
                assert_eq!(cards_of(&state, seat), DECK_COUNTS, "seed {seed}");
            }
            state.legal_moves(&mut moves);
            state.apply(moves[rng.below(moves.len() as u32) as usize]);
        }
    }
}

/// Copies of each card in a deck.
const DECK_COUNTS: [u8; 8] = [5, 4, 4, 4, 2, 4, 3, 4];

/// Counts the copies of each card that `seat` owns in all zones.
fn cards_of(state: &minitcg::MiniTcg, seat: TwinSeat) -> [u8; 8] {
    let on_field = state.field(seat).iter().map(|creature| creature.card);
    let on_stack = state.stack().iter().filter(|item| item.controller == seat).map(|item| item.card);
    let in_piles = [state.deck(seat), state.hand(seat), state.graveyard(seat)];

    let mut counts = [0; 8];
    for card in on_field.chain(on_stack).chain(in_piles.concat()) {
        counts[card as usize] += 1;
    }
    counts
}
