//! The static part of a `choose` statement.

use crate::{Reg, RoutineId, Symbol, TextId, TypeId};

/// Number of players asked, and whose answers count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerMode {
    /// One player is asked.
    One,
    /// Several are asked; all must answer.
    Each,
    /// Several are asked; the first valid answer counts.
    Any,
    /// Several are asked; the first answer that is not a pass counts. Null if all pass or nobody is asked.
    First,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerShape {
    /// Some of the options, in any order.
    Pick,
    /// All of the picked options, in an order that matters.
    Order,
    /// A row of slots, each holding one option or (if `empty`) none. An option fills at most one slot.
    Slots {
        /// True if slots may stay empty.
        empty: bool,
    },
    /// Some of the [`ChoiceBranch`]es, each with its own picks.
    Branches,
    /// Options picked one after the other. [`NextOptions`] computes the options that may follow the picks
    /// before them.
    Path,
}

/// Treatment of a draft that would be rejected as an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DraftPolicy {
    /// Keep the valid part; invalid slots become empty.
    Blank,
    /// Reject it; the previous draft stays.
    Refuse,
}

/// Kind of request, as named on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// Entities or players to pick.
    TargetSelect,
    /// An order for the options.
    OrderSelect,
    ModePick,
    /// A way to pay.
    PayCost,
    /// Yes or no.
    Confirm,
    /// An action to take.
    Action,
    Layout,
    Path,
    /// Anything else: numbers, symbols, records.
    Select,
}

impl InputKind {
    /// Returns the name used on the wire.
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
pub struct ChoiceBranch {
    /// Name in the rules, unique among the branches of the same parent.
    pub id: Symbol,
    pub title: TextId,
    /// True if it cannot be combined with other branches of the same parent.
    pub exclusive: bool,
    /// The branch this is an alternative of; `None` for an alternative of the choice itself.
    pub parent: Option<u16>,
    pub inner: BranchContent,
}

/// Kind of picks inside a taken [`ChoiceBranch`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchContent {
    Nothing,
    /// Some of its options.
    Options,
    /// Some of its child branches.
    Branches,
}

/// Code that computes the options that may follow on a path. It belongs to the routine that asks and runs on
/// a copy of that routine's registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextOptions {
    /// Routine the code belongs to. Only its locals can be read: the temporaries are lost while a match
    /// waits.
    pub routine: RoutineId,
    /// First instruction; the code ends with a `Return` of a list of `item`.
    pub entry: u32,
    /// Local that holds the picks made before, a list of `item`.
    pub prefix: Reg,
}

/// Code that computes the values of the placeholders in the texts of a choice, for one player who is asked. Like
/// [`NextOptions`], it runs on a copy of the asking routine's registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextValues {
    /// Routine the code belongs to.
    pub routine: RoutineId,
    /// First instruction; the code ends with a `Return` of a record with one field for each placeholder.
    pub entry: u32,
    /// The placeholders as they are written, without braces, with the types of their values.
    pub fields: Vec<(String, TypeId)>,
}

/// Tests of a whole selection. Like [`NextOptions`], their code runs on a copy of the asking routine's registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SelectionTests {
    /// Routine the code belongs to.
    pub routine: RoutineId,
    /// First instruction; the code ends with a `Return` of the number of the first test that fails, or null.
    pub entry: u32,
    /// Local that holds the selection, a value of the choice.
    pub selection: Reg,
    /// For each test, the reason that players read when it fails.
    pub reasons: Vec<TextId>,
}

/// A `choose` statement.
///
/// The dynamic parts come with the `Ask` instruction in consecutive registers; the constants below give their
/// offsets.
#[derive(Clone)]
pub struct Choice {
    /// Local that the answer is bound to; also the request's name in logs.
    pub name: String,
    pub mode: AnswerMode,
    pub shape: AnswerShape,
    pub kind: InputKind,
    /// Type of one option.
    pub item: TypeId,
    /// Type of one player's answer: `item`, `list<item>`, or for branches a record `{id: symbol, selection:
    /// list<item>}` or a list of such records. If branches have child branches, the record has a third field
    /// `chosen`, a list of records of the child branches taken.
    pub value: TypeId,
    /// Type of the result of `Await`: `value` (One), `map<player, {value, touched: bool, how: symbol}>`
    /// (Each), `{actor: player, value}` (Any), the same or null (First).
    pub result: TypeId,
    /// True if `value` is a single item (or null), not a list.
    pub single: bool,
    /// True if nobody sees an answer before all are in.
    pub secret: bool,
    /// True if the player may pass; the value is then null.
    pub pass: bool,
    /// True if the engine never answers automatically.
    pub always_ask: bool,
    /// Treatment of invalid drafts; `None` means drafts are not accepted.
    pub draft: Option<DraftPolicy>,
    pub title: TextId,
    /// Name of passing, if the rules give one.
    pub pass_title: Option<TextId>,
    /// The reaction that asks.
    pub rule: Option<Symbol>,
    /// Alternatives of [`AnswerShape::Branches`]. Each branch is followed by its child branches.
    pub branches: Vec<ChoiceBranch>,
    /// Continuation code; only for [`AnswerShape::Path`].
    pub next: Option<NextOptions>,
    /// True if options that the player does not see are offered by their places. Only for display.
    pub blind: bool,
    /// Tests of the whole selection.
    pub tests: Option<SelectionTests>,
    /// True if a path may have any length, because its options are the same at each step.
    pub repeats: bool,
    /// Values for the title, the name of passing and the titles of branches, if these have placeholders.
    pub texts: Option<TextValues>,
    /// True if the register after those of the branches says whether the player is asked, and if players who have left
    /// are not. For a player who is not asked the default counts, or else passing, or else nothing.
    pub closes: bool,
    /// True if players with too few options are not asked, and the result is null if nobody is.
    pub may_be_empty: bool,
}

/// Leaves out what is only for display. The fingerprint of a program is made from this text, and snapshots refer to it.
impl std::fmt::Debug for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("Choice");
        text.field("name", &self.name)
            .field("mode", &self.mode)
            .field("shape", &self.shape)
            .field("kind", &self.kind)
            .field("item", &self.item)
            .field("value", &self.value)
            .field("result", &self.result)
            .field("single", &self.single)
            .field("secret", &self.secret)
            .field("pass", &self.pass)
            .field("always_ask", &self.always_ask)
            .field("draft", &self.draft)
            .field("title", &self.title)
            .field("branches", &self.branches)
            .field("next", &self.next);
        // Left out where they are not used, so that programs without them keep their fingerprint.
        if let Some(tests) = &self.tests {
            text.field("tests", &(tests.routine, tests.entry, tests.selection));
        }
        if self.repeats {
            text.field("repeats", &self.repeats);
        }
        if self.closes {
            text.field("closes", &self.closes).field("may_be_empty", &self.may_be_empty);
        }
        text.finish()
    }
}

impl Choice {
    /// Offset of the player asked.
    pub const PLAYER: u16 = 0;
    /// Offset of the options, a list of `item` (empty for branches).
    pub const OPTIONS: u16 = 1;
    /// Offset of the least number of picks; [`NULL`](crate::NULL) if not given.
    pub const MIN: u16 = 2;
    /// Offset of the greatest number of picks, or of the number of slots; [`NULL`](crate::NULL) if not given.
    pub const MAX: u16 = 3;
    /// Offset of the time to answer, in milliseconds; [`NULL`](crate::NULL) for no limit.
    pub const DEADLINE: u16 = 4;
    /// Offset of the answer used if the deadline passes, of type `value`; [`NULL`](crate::NULL) if none.
    pub const DEFAULT: u16 = 5;
    /// Offset of the branch registers, four for each branch: available (bool), options (list), min, max. Min
    /// and max count the branch's options or its child branches, whichever it has.
    pub const BRANCHES: u16 = 6;

    /// Greatest length of a path.
    pub const MAX_PATH: u32 = 256;
    /// Greatest number of branches of a choice, child branches included.
    pub const MAX_BRANCHES: usize = 256;
    /// Greatest depth of branches; branches without a parent are level 1.
    pub const MAX_LEVELS: usize = 8;

    /// Returns the number of registers `Ask` reads.
    #[must_use]
    pub fn ask_width(&self) -> u16 {
        self.open_offset() + u16::from(self.closes)
    }

    /// Returns the offset of the register that says whether the player is asked.
    #[must_use]
    pub fn open_offset(&self) -> u16 {
        Self::BRANCHES + 4 * self.branches.len() as u16
    }

    /// Lists the indexes of a parent's branches in declaration order.
    pub fn branches_of(&self, parent: Option<u16>) -> impl Iterator<Item = usize> + '_ {
        let first = parent.map_or(0, |parent| usize::from(parent) + 1);
        (first..self.branches.len())
            .take_while(move |at| parent.is_none_or(|parent| self.is_within(*at, parent)))
            .filter(move |at| self.branches[*at].parent == parent)
    }

    /// Tells whether `outer` is an ancestor of a branch.
    #[must_use]
    pub fn is_within(&self, branch: usize, outer: u16) -> bool {
        self.parents_of(branch).any(|parent| parent == outer)
    }

    /// Returns the number of branch levels.
    #[must_use]
    pub fn levels(&self) -> usize {
        let level = |at: usize| 1 + self.parents_of(at).count();
        (0..self.branches.len()).map(level).max().unwrap_or(0)
    }

    /// Lists the ancestors of a branch, nearest first. Terminates for any input: only parents with a smaller
    /// index count.
    fn parents_of(&self, branch: usize) -> impl Iterator<Item = u16> + '_ {
        let parent = |at: usize| {
            let parent = self.branches.get(at)?.parent?;
            (usize::from(parent) < at).then_some(parent)
        };
        std::iter::successors(parent(branch), move |at| parent(usize::from(*at)))
    }
}
