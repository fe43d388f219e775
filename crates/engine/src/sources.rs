//! Which entities have rules: kept beside the rows, so that nobody has to look through all of them.
//!
//! A property that modifiers may change, and each stage of a chain, is a
//! *target*: it has a list of the modifiers that may count, in the order they
//! apply. Whether a source is where its rules are in force is asked on reading.
//! All of it follows from the rows alone, so the undo notes know nothing of it.

use std::sync::Arc;

use intermezzo_ruleset::{Program, PropId, RuleHost};

use crate::board::Entity;
use crate::copying::copy_lists;

/// A modifier of an entity (of the game: row 0), in the order they apply: by layer, then source, then as declared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Applies {
    pub(crate) layer: i32,
    pub(crate) row: u32,
    pub(crate) modifier: u16,
}

/// What a program says about sources; shared by all its matches.
#[derive(Debug)]
pub(crate) struct SourcePlan {
    /// Per def: its place among those with rules, or [`NONE`].
    places: Vec<u16>,
    /// Per def with rules: the targets it modifies, and how.
    modifies: Vec<Vec<(u16, i32, u16)>>,
    /// Per property: its target, or [`NONE`].
    props: Vec<u16>,
    /// Per chain: the targets of its stages.
    chains: Vec<Vec<u16>>,
    /// Per target: the modifiers of the game itself.
    always: Vec<Vec<Applies>>,
}

const NONE: u16 = u16::MAX;

/// The entities that have rules.
#[derive(Debug)]
pub(crate) struct Sources {
    plan: Arc<SourcePlan>,
    /// Per def with rules: the rows of its entities, ascending.
    rows: Vec<Vec<u32>>,
    /// Per target: what modifies it.
    applying: Vec<Vec<Applies>>,
}

impl SourcePlan {
    pub(crate) fn new(program: &Program) -> SourcePlan {
        let mut plan = SourcePlan {
            places: vec![NONE; program.defs.len()],
            modifies: Vec::new(),
            props: Vec::new(),
            chains: Vec::new(),
            always: Vec::new(),
        };
        program.reactions.iter().for_each(|reaction| plan.claim(reaction.host));
        program.modifiers.iter().for_each(|modifier| plan.claim(modifier.host));
        for prop in &program.props {
            let target = if prop.modifiers.is_empty() { NONE } else { plan.target(program, &prop.modifiers) };
            plan.props.push(target);
        }
        for chain in &program.chains {
            let targets = chain.stages.iter().map(|stage| plan.target(program, stage)).collect();
            plan.chains.push(targets);
        }
        plan
    }

    /// Gives the def a place among those with rules.
    fn claim(&mut self, host: RuleHost) {
        let RuleHost::Def(def) = host else { return };
        if let Some(place @ &mut NONE) = self.places.get_mut(def.index()) {
            *place = self.modifies.len() as u16;
            self.modifies.push(Vec::new());
        }
    }

    fn target(&mut self, program: &Program, modifiers: &[u16]) -> u16 {
        let target = self.always.len() as u16;
        let mut always = Vec::new();
        for number in modifiers {
            let Some(modifier) = program.modifiers.get(usize::from(*number)) else { continue };
            match modifier.host {
                RuleHost::Game => always.push(Applies { layer: modifier.layer, row: 0, modifier: *number }),
                RuleHost::Def(def) => {
                    if let Some(place) = self.place(def.0) {
                        self.modifies[place].push((target, modifier.layer, *number));
                    }
                }
            }
        }
        always.sort_unstable();
        self.always.push(always);
        target
    }

    fn place(&self, def: u16) -> Option<usize> {
        self.places.get(usize::from(def)).filter(|place| **place != NONE).map(|place| usize::from(*place))
    }

    /// The targets of a chain's stages.
    pub(crate) fn stages(&self, chain: u16) -> Option<&[u16]> {
        self.chains.get(usize::from(chain)).map(Vec::as_slice)
    }
}

impl Sources {
    pub(crate) fn new(plan: &Arc<SourcePlan>) -> Sources {
        Sources {
            plan: Arc::clone(plan),
            rows: vec![Vec::new(); plan.modifies.len()],
            applying: plan.always.clone(),
        }
    }

    /// The rows of a def's entities, ascending; none if the def has no rules.
    #[inline]
    pub(crate) fn of(&self, def: u16) -> &[u32] {
        self.plan.place(def).map_or(&[], |place| &self.rows[place])
    }

    /// What may modify a target, in the order it applies.
    #[inline]
    pub(crate) fn applying(&self, target: u16) -> &[Applies] {
        self.applying.get(usize::from(target)).map_or(&[], Vec::as_slice)
    }

    /// The target that a property is; nothing would modify it if it were none.
    #[inline]
    pub(crate) fn target(&self, prop: PropId) -> u16 {
        self.plan.props.get(prop.index()).copied().unwrap_or(NONE)
    }

    /// Whether nothing there is modifies the property.
    #[inline]
    pub(crate) fn is_idle(&self, prop: PropId) -> bool {
        self.applying(self.target(prop)).is_empty()
    }

    /// There is a new entity.
    pub(crate) fn add(&mut self, row: u32, entity: &Entity) {
        let Some(place) = self.plan.place(entity.def) else { return };
        put(&mut self.rows[place], row);
        for (target, layer, modifier) in &self.plan.modifies[place] {
            let applies = Applies { layer: *layer, row, modifier: *modifier };
            put(&mut self.applying[usize::from(*target)], applies);
        }
    }

    /// An entity is gone.
    pub(crate) fn take(&mut self, row: u32, entity: &Entity) {
        let Some(place) = self.plan.place(entity.def) else { return };
        cut(&mut self.rows[place], &row);
        for (target, layer, modifier) in &self.plan.modifies[place] {
            let applies = Applies { layer: *layer, row, modifier: *modifier };
            cut(&mut self.applying[usize::from(*target)], &applies);
        }
    }

    pub(crate) fn copy_from(&mut self, other: &Sources) {
        if !Arc::ptr_eq(&self.plan, &other.plan) {
            self.plan.clone_from(&other.plan);
        }
        copy_lists(&mut self.rows, &other.rows);
        copy_lists(&mut self.applying, &other.applying);
    }
}

impl Clone for Sources {
    fn clone(&self) -> Sources {
        Sources { plan: Arc::clone(&self.plan), rows: self.rows.clone(), applying: self.applying.clone() }
    }
}

fn put<T: Ord>(sorted: &mut Vec<T>, item: T) {
    if let Err(at) = sorted.binary_search(&item) {
        sorted.insert(at, item);
    }
}

fn cut<T: Ord>(sorted: &mut Vec<T>, item: &T) {
    if let Ok(at) = sorted.binary_search(item) {
        sorted.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use intermezzo_ruleset::{
        Bound, Def, DefId, Initial, Kind, KindId, Modifier, Prop, RoutineId, Symbol, TextId, TypeId,
        Visibility, Word,
    };

    use super::*;
    use crate::board::{Board, NOBODY};
    use crate::tables::Tables;

    /// Stones, and auras that modify a property.
    fn program() -> Program {
        let kind = |name: &str| Kind {
            name: name.to_owned(),
            parent: None,
            props: vec![PropId(0)],
            columns: 1,
            zones: Vec::new(),
        };
        let def = |name| Def {
            name: Symbol(name),
            kind: KindId(2),
            props: Vec::new(),
            traits: Vec::new(),
            is_trait: false,
            text: None,
            title: TextId(0),
        };
        let aura = RuleHost::Def(DefId(1));
        let modifier =
            |host, layer| Modifier { name: String::new(), host, layer, own: false, change: RoutineId(0) };
        Program {
            symbols: vec!["stone".to_owned(), "aura".to_owned()],
            kinds: ["match", "player", "token"].map(kind).to_vec(),
            defs: vec![def(0), def(1)],
            props: vec![Prop {
                name: Symbol(0),
                ty: TypeId(0),
                column: 0,
                derived: None,
                initial: Initial::Word(0),
                min: Bound::None,
                max: Bound::None,
                visible: Visibility::All,
                resource: false,
                modifiers: vec![0, 1, 2],
            }],
            modifiers: vec![modifier(aura, 1), modifier(aura, 0), modifier(RuleHost::Game, 0)],
            ..Program::default()
        }
    }

    fn modifiers(board: &Board) -> Vec<(u32, u16)> {
        let target = board.sources.target(PropId(0));
        board.sources.applying(target).iter().map(|applies| (applies.row, applies.modifier)).collect()
    }

    #[test]
    fn sources_come_and_go_with_their_entities_and_come_back_with_them() {
        let program = program();
        let mut board = Board::bare(&program, &Tables::new(&program), 0);
        let make = |board: &mut Board, def: u16| -> Word {
            let made = board.next_reference(&[]);
            board.make(&program, made, KindId(2), Some(DefId(def)), NOBODY).expect("the name is free");
            made
        };
        make(&mut board, 0);
        let first = make(&mut board, 1);
        make(&mut board, 0);
        assert_eq!((board.sources.of(0), board.sources.of(1)), (&[][..], &[1][..]), "stones have no rules");
        assert_eq!(modifiers(&board), [(0, 2), (1, 1), (1, 0)], "by layer, then source");

        let savepoint = board.mark();
        let second = make(&mut board, 1);
        assert_eq!(modifiers(&board), [(0, 2), (1, 1), (3, 1), (1, 0), (3, 0)]);
        board.remove(first).expect("it is there");
        assert_eq!(board.sources.of(1), [3]);
        board.remove(second).expect("it is there");
        assert_eq!(modifiers(&board), [(0, 2)]);
        make(&mut board, 1);
        board.rollback(savepoint);
        assert_eq!((board.sources.of(1), modifiers(&board).len()), (&[1][..], 3));
    }
}
