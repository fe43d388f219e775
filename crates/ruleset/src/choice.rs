//! What a `choose` statement asks, as far as it is known before play.

use crate::{Reg, RoutineId, Symbol, TextId, TypeId};

/// Whose answers count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// One player is asked.
    One,
    /// Several are asked; all must answer.
    Each,
    /// Several are asked; the first valid answer counts.
    Any,
}

/// The shape of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Some of the options, in any order.
    Pick,
    /// All of the picked options, and their order matters.
    Order,
    /// A row of slots, each holding one option or (if `empty`) none. An option fills at most one slot.
    Slots {
        /// Slots may stay empty.
        empty: bool,
    },
    /// Some of the [`Branch`]es, each with picks of its own.
    Branches,
    /// Options one after the other: what may come next follows from what was picked before, by [`Next`].
    Path,
}

/// What to do with a draft that would be refused as an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DraftPolicy {
    /// Keep what is good; bad slots become empty.
    Blank,
    /// Refuse it; the previous draft stays.
    Refuse,
}

/// The wire's name for a kind of request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// Entities or players to pick.
    TargetSelect,
    /// An order to give.
    OrderSelect,
    /// One of several modes.
    ModePick,
    /// How to pay.
    PayCost,
    /// Do it or not.
    Confirm,
    /// An action to take.
    Action,
    /// A row of slots to fill.
    Layout,
    /// A path to go step by step.
    Path,
    /// Anything else: numbers, symbols, records.
    Select,
}

impl InputKind {
    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            InputKind::TargetSelect => "target_select",
            InputKind::OrderSelect => "order_select",
            InputKind::ModePick => "mode_pick",
            InputKind::PayCost => "pay_cost",
            InputKind::Confirm => "confirm",
            InputKind::Action => "action",
            InputKind::Layout => "layout",
            InputKind::Path => "path",
            InputKind::Select => "select",
        }
    }
}

/// One of the alternatives of a `choices:` list.
#[derive(Clone, Debug)]
pub struct Branch {
    /// What the rules call it.
    pub id: Symbol,
    /// What players read.
    pub title: TextId,
    /// Cannot be combined with others.
    pub exclusive: bool,
    /// Has picks of its own.
    pub nested: bool,
}

/// What may come next on a path: code of the routine that asks, run on a copy of its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// The routine the code belongs to. Only its locals can be read: the rest is gone while a match waits.
    pub routine: RoutineId,
    /// Its first instruction; it ends with `Return` of a list of `item`.
    pub entry: u32,
    /// The local that holds what was picked so far, a list of `item`.
    pub so_far: Reg,
}

/// A `choose` statement.
///
/// The dynamic parts come with the `Ask` instruction in consecutive registers;
/// the constants below give their places.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The local the answer is bound to; also what logs call the request.
    pub name: String,
    /// Whose answers count.
    pub how: How,
    /// The shape of an answer.
    pub shape: Shape,
    /// The wire's name for it.
    pub kind: InputKind,
    /// Type of one option.
    pub item: TypeId,
    /// Type of one player's answer: `item`, `list<item>`, or for branches a record
    /// `{id: symbol, selection: list<item>}` or a list of such.
    pub value: TypeId,
    /// Type of what `Await` delivers: `value` (One), `map<player, {value, touched: bool, how: symbol}>` (Each),
    /// `{actor: player, value}` (Any).
    pub result: TypeId,
    /// `value` is a single item (or null), not a list.
    pub single: bool,
    /// Nobody learns an answer before all are in.
    pub secret: bool,
    /// The player may decline; the value is then null.
    pub pass: bool,
    /// Never answered automatically.
    pub always_ask: bool,
    /// Drafts are accepted.
    pub draft: Option<DraftPolicy>,
    /// What players read.
    pub title: TextId,
    /// The alternatives of [`Shape::Branches`].
    pub branches: Vec<Branch>,
    /// What follows what, for [`Shape::Path`] alone.
    pub next: Option<Next>,
}

impl Choice {
    /// Register offsets of `Ask`'s arguments: the player asked.
    pub const PLAYER: u16 = 0;
    /// The options, a list of `item` (empty for branches).
    pub const OPTIONS: u16 = 1;
    /// Least number of picks; [`NULL`](crate::NULL) if not given.
    pub const MIN: u16 = 2;
    /// Greatest number of picks, or number of slots; [`NULL`](crate::NULL) if not given.
    pub const MAX: u16 = 3;
    /// Milliseconds to answer; [`NULL`](crate::NULL) for no limit.
    pub const DEADLINE: u16 = 4;
    /// The answer if the deadline passes, of type `value`; [`NULL`](crate::NULL) if none.
    pub const DEFAULT: u16 = 5;
    /// For each branch four registers follow: available (bool), options (list), min, max.
    pub const BRANCHES: u16 = 6;

    /// A path is at most this long.
    pub const MAX_PATH: u32 = 256;

    /// How many registers `Ask` reads.
    #[must_use]
    pub fn ask_width(&self) -> u16 {
        Self::BRANCHES + 4 * self.branches.len() as u16
    }
}
