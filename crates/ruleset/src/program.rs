//! A checked ruleset, ready to run: tables indexed by the ids of [`crate::ids`].

use crate::code::{Instr, Place};
use crate::notes::Notes;
use crate::probes::Probes;
use crate::{
    Action, Choice, DefId, EnumId, EventId, KindId, Message, PhaseId, PropId, ReactionId, RoutineId, Symbol,
    TextId, TypeId, Word, ZoneId,
};

/// Everything the engine needs to play a ruleset. Immutable and shared by all its matches.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Hash of the ruleset and its preludes as written.
    pub hash: [u8; 32],
    /// Tells this compilation of the ruleset from others: snapshots name places in the code.
    pub fingerprint: u64,
    /// `ruleset.id`
    pub id: String,
    /// `ruleset.version`
    pub version: String,
    /// `ruleset.name`
    pub name: String,
    /// Spelling of each symbol; the native ones come first.
    pub symbols: Vec<String>,
    /// Texts for people.
    pub texts: Vec<String>,
    /// Constants too large for an instruction.
    pub constants: Vec<Word>,
    /// Runtime types.
    pub types: Vec<Type>,
    /// Closed symbol sets.
    pub enums: Vec<Enum>,
    /// Kinds; 0 is the match, 1 is the player.
    pub kinds: Vec<Kind>,
    /// Properties of all kinds.
    pub props: Vec<Prop>,
    /// Zones as declared.
    pub zones: Vec<Zone>,
    /// Printed things.
    pub defs: Vec<Def>,
    /// Event types; the native ones come first.
    pub events: Vec<EventType>,
    /// Named scopes of the flow.
    pub phases: Vec<Phase>,
    /// How a match may end.
    pub outcomes: Vec<Symbol>,
    /// `choose` statements.
    pub choices: Vec<Choice>,
    /// `create` statements.
    pub creates: Vec<Create>,
    /// `roll` statements.
    pub rolls: Vec<Roll>,
    /// Rules set off by events.
    pub reactions: Vec<Reaction>,
    /// Among players, the active one's rules come last (`apnap`) instead of first.
    pub active_last: bool,
    /// Players put their own reactions in order (`chosen`).
    pub ordering: Option<Ordering>,
    /// What players can do, and abilities.
    pub actions: Vec<Action>,
    /// Rules that set each other off without end end the match (`loop: draw`) instead of refusing the input.
    pub loops_draw: bool,
    /// Lasting changes of values.
    pub modifiers: Vec<Modifier>,
    /// Staged computations.
    pub chains: Vec<Chain>,
    /// Properties that events set back.
    pub resets: Vec<Reset>,
    /// How long traits may last.
    pub durations: Vec<Duration>,
    /// Code with its registers.
    pub routines: Vec<Routine>,
    /// All instructions.
    pub code: Vec<Instr>,
    /// Where code came from: (first instruction, place), ascending.
    pub places: Vec<(u32, Place)>,
    /// Names of the files it was made from.
    pub files: Vec<String>,
    /// How many can play.
    pub seats: SeatCount,
    /// What can be set for each match. Option i is column i of the match's row.
    pub options: Vec<MatchOption>,
    /// Runs once at the start.
    pub setup: Option<RoutineId>,
    /// The match itself, after setup.
    pub flow: Option<RoutineId>,
    /// Guards.
    pub limits: Limits,
    /// What is played for.
    pub stakes: Option<Stakes>,
    /// How much time there is besides the deadlines of questions.
    pub clock: Option<Clock>,
    /// What was hidden stays hidden after the end (`afterwards: closed`).
    pub stays_hidden: bool,
    /// What things are worth to a player (the parameter), a number, for those who look ahead (`bots.value`).
    pub worth: Option<RoutineId>,
    /// What learners are told with questions, in order.
    pub lessons: Vec<Lesson>,
    /// The ruleset's own words for its clients.
    pub messages: Vec<Message>,
    /// The property whose value names an entity for people (`ui.label`); without it, its def's title does.
    pub label: Option<Symbol>,
    /// The ruleset's `ui` and `tutorial`, and the `ui` of its `defs` and `kinds` by name, as JSON text.
    pub metadata: String,
    /// Where it is counted how often rules are reached; none unless it was compiled so.
    pub probes: Probes,
    /// What the engine has worked out about it.
    pub notes: Notes,
}

/// One step of a tutorial. Its code has the learner as its first two parameters, as `you` and `actor`.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// What files and clients call it.
    pub name: String,
    /// What the learner is told.
    pub say: TextId,
    /// The name of the question it belongs to; any, if there is none.
    pub question: Option<String>,
    /// Whether it is told now.
    pub condition: Option<RoutineId>,
    /// The entities it is about.
    pub highlight: Option<RoutineId>,
    /// What ends it; without, it is told once.
    pub until: Option<Until>,
}

/// The event that ends a lesson.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Until {
    /// The event.
    pub event: EventId,
    /// A test of the learner and the payload.
    pub condition: Option<RoutineId>,
}

impl Program {
    /// The spelling of a symbol.
    #[must_use]
    pub fn symbol(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.index()]
    }

    /// The symbol spelt `name`, if the program uses it.
    #[must_use]
    pub fn symbol_named(&self, name: &str) -> Option<Symbol> {
        self.symbols.iter().position(|spelling| spelling == name).map(|index| Symbol(index as u32))
    }

    /// The event type called `name`.
    #[must_use]
    pub fn event_named(&self, name: &str) -> Option<EventId> {
        self.events.iter().position(|event| event.name == name).map(|index| EventId(index as u16))
    }

    /// The message called `name`.
    #[must_use]
    pub fn message_named(&self, name: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.name == name)
    }

    /// The property called `name` of an entity of `kind`, its own or inherited.
    #[must_use]
    pub fn prop_of(&self, kind: KindId, name: Symbol) -> Option<PropId> {
        self.kinds[kind.index()].props.iter().copied().find(|prop| self.props[prop.index()].name == name)
    }

    /// Whether `kind` is `ancestor` or extends it, directly or not.
    #[must_use]
    pub fn is_kind(&self, kind: KindId, ancestor: KindId) -> bool {
        let mut at = Some(kind);
        while let Some(kind) = at {
            if kind == ancestor {
                return true;
            }
            at = self.kinds[kind.index()].parent;
        }
        false
    }

    /// Where the instruction at `pc` came from.
    #[must_use]
    pub fn place(&self, pc: u32) -> Option<Place> {
        let after = self.places.partition_point(|(start, _)| *start <= pc);
        after.checked_sub(1).map(|index| self.places[index].1)
    }
}

/// What a word of this type means; every type may also hold null.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A number.
    Int,
    /// Yes or no.
    Bool,
    /// A name.
    Symbol,
    /// One of a closed set of names.
    Enum(EnumId),
    /// A text for people.
    Text,
    /// An entity of any kind, players and the match included.
    Entity,
    /// An entity of this kind.
    Kind(KindId),
    /// A zone instance.
    Zone,
    /// A pool of dice.
    Dice,
    /// An event under way. Never part of stored state.
    Event,
    /// Items of one type.
    List(TypeId),
    /// One value for each player.
    PlayerMap(TypeId),
    /// One value for each member of an enum.
    EnumMap(EnumId, TypeId),
    /// Named fields in order.
    Record(Vec<(Symbol, TypeId)>),
    /// The type of a `Changed` event's values: told by its property.
    Any,
    /// An action a player could take, with its host and targets; see [`Action`].
    Offer,
}

/// A closed set of symbols.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name in `types`.
    pub name: String,
    /// Its members in order.
    pub members: Vec<Symbol>,
}

/// A kind of entity. Its columns begin with those of its parent, in the same places.
///
/// Column 0 of every kind but the match and the player is the property `known`
/// ([`native::KNOWN`](crate::native::KNOWN)), a list of players.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// The kind it extends.
    pub parent: Option<KindId>,
    /// All its properties, inherited ones first; stored ones in column order.
    pub props: Vec<PropId>,
    /// How many words a row has.
    pub columns: u16,
    /// Zones each entity of this kind has, in [`Program::zones`] order.
    pub zones: Vec<ZoneId>,
}

/// A property.
#[derive(Clone, Debug)]
pub struct Prop {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: TypeId,
    /// Where it is stored in the row; meaningless for derived ones.
    pub column: u16,
    /// Computed on every read by this function of the entity (its parameter) instead of stored.
    pub derived: Option<RoutineId>,
    /// Value in a new entity, unless its def or `with` says otherwise.
    pub initial: Initial,
    /// Writes below it are raised to it.
    pub min: Bound,
    /// Writes above it are lowered to it.
    pub max: Bound,
    /// Who sees it on an entity they can see.
    pub visible: Visibility,
    /// Is a resource.
    pub resource: bool,
    /// Indexes of [`Program::modifiers`] that may change what is read of it.
    pub modifiers: Vec<u16>,
}

/// The value a property starts with.
#[derive(Clone, Copy, Debug)]
pub enum Initial {
    /// Always this one.
    Word(Word),
    /// Computed by a function of the new entity (its parameter) when it is created.
    Computed(RoutineId),
}

/// A limit for the values of a property.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// No limit.
    None,
    /// Always this one.
    Word(Word),
    /// Computed by a function of the entity.
    Computed(RoutineId),
}

/// Who may see something.
#[derive(Clone, Copy, Debug)]
pub enum Visibility {
    /// Everyone.
    All,
    /// Nobody.
    None,
    /// The player the entity or zone belongs to.
    Owner,
    /// Whoever this function says: parameters are the viewer (a player) and the thing
    /// (entity for properties, zone instance for zones); for events the payload fields follow the viewer.
    Computed(RoutineId),
    /// Events: everyone sees the event; entities in it only who sees the entity.
    ByContents,
}

/// A zone as declared. There is one instance for each entity it belongs to, or a single one.
#[derive(Clone, Debug)]
pub struct Zone {
    /// Its name.
    pub name: Symbol,
    /// The kind of entity each instance belongs to.
    pub of: Option<KindId>,
    /// Who sees what is in it.
    pub visible: Visibility,
    /// Whether the order means something to players (`order: list`).
    pub ordered: bool,
    /// Rules of things in it are in force.
    pub active: bool,
    /// What comes into it becomes a new object.
    pub renews: bool,
    /// How many it may hold.
    pub max: Option<u32>,
}

/// A printed thing entities are made from.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its name.
    pub name: Symbol,
    /// The kind of entity it makes.
    pub kind: KindId,
    /// Properties that start differently.
    pub props: Vec<(PropId, Initial)>,
    /// Traits each entity made from it begins with: the trait's def and its parameters, functions of the entity.
    pub traits: Vec<(DefId, Vec<(PropId, Initial)>)>,
    /// It is a trait: its entities are in no zone but attached to a host, and their rules are the host's.
    pub is_trait: bool,
    /// What players read.
    pub title: TextId,
    /// What it does, for people.
    pub text: Option<TextId>,
}

/// A field of an event's payload.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: TypeId,
}

/// A type of event.
///
/// All its code shares one routine: payload field i is register
/// [`Reg::CONTEXT`](crate::Reg::CONTEXT) + i.
#[derive(Clone, Debug)]
pub struct EventType {
    /// Its name.
    pub name: String,
    /// The same as a symbol.
    pub symbol: Symbol,
    /// Its payload.
    pub fields: Vec<Field>,
    /// The registers of its code; none if it has no code.
    pub routine: Option<RoutineId>,
    /// Entry of the test whether there is no event at all; ends with `Return`.
    pub unless: Option<u32>,
    /// Entry of the fold; ends with `Done`. Only pure instructions and `Write`s.
    pub apply: Option<u32>,
    /// Entry of the consequences; ends with `Done`.
    pub then: Option<u32>,
    /// Who sees it.
    pub visible: Visibility,
    /// Reactions may prevent it.
    pub preventable: bool,
    /// Who decides which of several reactions comes before it first, where players decide: a function of the payload.
    pub chooser: Option<RoutineId>,
    /// Reactions that come before it, in declaration order.
    pub before: Vec<ReactionId>,
    /// Reactions that come after it, in declaration order.
    pub after: Vec<ReactionId>,
    /// Indexes of [`Program::resets`] it sets off.
    pub resets: Vec<u16>,
    /// Indexes of [`Program::durations`] that it may end.
    pub durations: Vec<u16>,
    /// Sentence for people with `{field}` places, from its `text`.
    pub text: Option<TextId>,
}

/// Whether a reaction comes before or after its event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Before the event is applied.
    Before,
    /// After its consequences.
    After,
}

/// What a rule belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleHost {
    /// The game itself.
    Game,
    /// Every entity made from the def, as long as it is where its rules are in force.
    Def(DefId),
}

/// How often a reaction may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// So many times …
    pub count: u16,
    /// … within this …
    pub scope: Scope,
    /// … for each of these.
    pub key: LimitKey,
    /// Counts when the reaction has been agreed to and paid for, not when it is set off.
    pub on_use: bool,
}

/// Whose uses a limit counts together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitKey {
    /// Those of one that has the rule: an entity of the def, or one attached trait.
    Instance,
    /// Those of all that have it.
    Rule,
    /// Those of one entity the rule is about: of all traits of that name attached to it.
    Source,
}

/// How often a reaction happens in a batch: what one group brings about, or a single event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Per {
    /// For each of its events.
    Each,
    /// Once for each set of values of these payload fields; of none: once.
    Key(Vec<u16>),
}

/// Within what a limit counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// One event.
    Event,
    /// One passing of the phase; the whole match where it is not under way.
    Phase(PhaseId),
    /// The match.
    Match,
}

/// A rule set off by events.
///
/// Its routines find the event's frame in [`Reg::EVENT`](crate::Reg::EVENT), the entity that has the rule in
/// [`Reg::SELF`](crate::Reg::SELF) and its controller in [`Reg::YOU`](crate::Reg::YOU).
#[derive(Clone, Debug)]
pub struct Reaction {
    /// Its id.
    pub name: Symbol,
    /// The event that sets it off.
    pub event: EventId,
    /// Before or after.
    pub when: When,
    /// Higher ones first.
    pub priority: i32,
    /// Place of its id among all ids in alphabetical order; breaks ties of priority and player.
    pub rank: u16,
    /// What it belongs to.
    pub host: RuleHost,
    /// Where its host must be; empty: in an active zone.
    pub zones: Vec<ZoneId>,
    /// The payload field that must be the host, if the condition says so: then only that entity can react.
    pub key: Option<u16>,
    /// How often it may happen; all of them hold.
    pub limits: Vec<Limit>,
    /// How often it happens in a batch.
    pub per: Per,
    /// What it reads of things that left in the batch is how they were just before it.
    pub looks_back: bool,
    /// The test, a pure function; none means always.
    pub condition: Option<RoutineId>,
    /// What it does.
    pub effects: RoutineId,
    /// It waits on the stack as an entity of this def before it happens.
    pub item: Option<DefId>,
    /// Where it is declared.
    pub place: Option<Place>,
}

impl Reaction {
    /// A rule of the game itself: always, without limit.
    #[must_use]
    pub fn of_game(name: Symbol, event: EventId, when: When, effects: RoutineId) -> Self {
        Reaction {
            name,
            event,
            when,
            priority: 0,
            rank: 0,
            host: RuleHost::Game,
            zones: Vec::new(),
            key: None,
            limits: Vec::new(),
            per: Per::Each,
            looks_back: false,
            condition: None,
            effects,
            item: None,
            place: None,
        }
    }
}

/// Routines by which players put reactions in order; parameters are who is asked and the options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ordering {
    /// Picks one of a list of records of rule (a symbol) and source (an entity or null).
    pub first: RoutineId,
    /// Puts a list of such records in order.
    pub all: RoutineId,
    /// Puts a list of reactions that wait for the stack in order.
    pub items: RoutineId,
}

/// A lasting change of a value, as long as its host's rules are in force.
#[derive(Clone, Debug)]
pub struct Modifier {
    /// What logs and explanations call it.
    pub name: String,
    /// What it belongs to.
    pub host: RuleHost,
    /// Lower ones first; then older sources, then as declared.
    pub layer: i32,
    /// Touches its host alone.
    pub own: bool,
    /// For a property: function of the entity and the value so far. For a chain: function of the record.
    /// Gives the new value, or the old one where it does not apply.
    pub change: RoutineId,
}

/// A staged computation over a record.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its name.
    pub name: Symbol,
    /// For each stage, the indexes of its [`Program::modifiers`].
    pub stages: Vec<Vec<u16>>,
}

/// A property that an event sets back: after the event, each entity of the kind (or only the one concerned)
/// for which `condition` holds gets the value of `to`, as a `Changed` event.
#[derive(Clone, Debug)]
pub struct Reset {
    /// The property.
    pub prop: PropId,
    /// The kind of entity that has it.
    pub kind: KindId,
    /// Payload fields of the event (by index) that name the entity concerned, in order of
    /// preference; empty: all entities of the kind.
    pub concerning: Vec<u16>,
    /// Test with the parameters entity, then payload fields; none means always.
    pub condition: Option<RoutineId>,
    /// The new value, a function of the entity.
    pub to: RoutineId,
}

/// A duration: traits that last until then are removed after the event, if the test holds.
#[derive(Clone, Debug)]
pub struct Duration {
    /// Its name.
    pub name: Symbol,
    /// The event that may end it.
    pub event: EventId,
    /// Test in the context of the trait; none means always.
    pub condition: Option<RoutineId>,
}

/// A named scope of the flow.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its name.
    pub name: Symbol,
    /// What players read.
    pub title: TextId,
}

/// A `create` statement. Argument registers: def (a symbol), owner (player or null), zone (instance or null),
/// host (entity or null), until (a duration's symbol or null), then one value for each entry of `with`.
#[derive(Clone, Debug)]
pub struct Create {
    /// Names of the properties given by `with`.
    pub with: Vec<Symbol>,
    /// Goes to the front of the zone.
    pub top: bool,
}

/// A `roll` statement. Argument registers: dice (or count and list, for `Draw`), keep (a symbol: highest, lowest, all,
/// or null for all), by (entity or null). For `Draw`: count, list, by.
#[derive(Clone, Debug)]
pub struct Roll {
    /// What the roll is for; its label in the log and for scripted dice.
    pub label: Option<Symbol>,
}

/// A piece of code with its registers.
#[derive(Clone, Debug)]
pub struct Routine {
    /// What logs and explanations call it, such as `flow`, `procs.finalize` or `events.Hurt`.
    pub name: String,
    /// First instruction. Unused for event routines, which have entries of their own.
    pub entry: u32,
    /// How many parameters follow the context.
    pub params: u16,
    /// Types of the registers that live across waits: context, parameters, locals.
    pub locals: Vec<TypeId>,
    /// How many registers there are, temporaries included.
    pub registers: u16,
    /// Has no effect but its result.
    pub pure: bool,
}

/// How many can play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatCount {
    /// At least.
    pub min: u8,
    /// At most.
    pub max: u8,
    /// Unless told otherwise.
    pub usual: u8,
}

impl Default for SeatCount {
    fn default() -> Self {
        SeatCount { min: 2, max: 2, usual: 2 }
    }
}

/// Something that can be set for each match.
#[derive(Clone, Debug)]
pub struct MatchOption {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: TypeId,
    /// Its value unless told otherwise: a function without parameters.
    pub default: RoutineId,
    /// Least value of a number.
    pub min: Option<Word>,
    /// Greatest value of a number.
    pub max: Option<Word>,
    /// It may be null, whatever the bounds.
    pub may_be_null: bool,
    /// What it means, for people.
    pub text: Option<TextId>,
}

/// Guards against rules that do not end. Reaching one is a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Jumps back, calls and loop passes for one input.
    pub steps: u32,
    /// Frames at a time.
    pub depth: u32,
    /// Reactions to one event.
    pub reactions: u32,
    /// Events for one input.
    pub events: u32,
    /// Entities at a time.
    pub entities: u32,
    /// Words of lists, records and maps for one input.
    pub heap: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 1_000_000,
            depth: 4_096,
            reactions: 1_000,
            events: 100_000,
            entities: 20_000,
            heap: 4_000_000,
        }
    }
}

/// What is played for.
#[derive(Clone, Debug)]
pub struct Stakes {
    /// Name of what is staked.
    pub currency: String,
    /// What each seat pays: a function without parameters.
    pub entry: RoutineId,
    /// What is in the pot: a function without parameters.
    pub pot: RoutineId,
}

/// How much time there is besides the deadlines of questions, for those who keep the clocks: the engine has none.
///
/// All but the last are functions without parameters that give milliseconds or null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// What each player has for the whole match; null for no end.
    pub bank: Option<RoutineId>,
    /// What is added to it with each answer; null for nothing.
    pub increment: Option<RoutineId>,
    /// How long a connection may be lost before the player counts as gone; null for ever.
    pub grace: Option<RoutineId>,
    /// Who plays on for a player whose bank is empty or whose connection is lost for too long, who would else leave.
    pub takeover: Option<Takeover>,
}

/// A bot that plays on for a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takeover {
    /// By chance.
    Random,
    /// Looking one step ahead.
    Greedy,
    /// Searching.
    Mcts,
}

impl Takeover {
    /// All of them, by the names that rulesets use.
    pub const NAMES: [(&'static str, Takeover); 3] =
        [("random", Takeover::Random), ("greedy", Takeover::Greedy), ("mcts", Takeover::Mcts)];

    /// The name that rulesets use.
    #[must_use]
    pub fn name(self) -> &'static str {
        Takeover::NAMES.iter().find(|(_, takeover)| *takeover == self).map_or("random", |(name, _)| name)
    }
}
