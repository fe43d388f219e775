//! A checked ruleset, ready to run: tables indexed by the ids of [`crate::ids`].

use crate::cached_analysis::CachedAnalysis;
use crate::code::{Instr, SourceLocation};
use crate::coverage_counters::CoverageCounters;
use crate::spelling_index::SpellingIndex;
use crate::{
    Action, ActionParam, Choice, DefId, EnumId, EventId, KindId, Message, PhaseId, PropId, ReactionId,
    RoutineId, Symbol, TextId, TypeId, Word, ZoneId,
};

/// Everything the engine needs to run a ruleset. Immutable and shared by all its matches.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Hash of the ruleset and its preludes as written.
    pub hash: [u8; 32],
    /// Id of this compilation of the ruleset. Snapshots store code addresses, so they need the same
    /// compilation.
    pub fingerprint: u64,
    /// `ruleset.id`
    pub id: String,
    /// `ruleset.version`
    pub version: String,
    /// `ruleset.name`
    pub name: String,
    /// Spelling of each symbol; the native ones come first.
    pub symbols: Vec<String>,
    /// The symbols by spelling.
    pub spelling_index: SpellingIndex,
    /// Texts for display.
    pub texts: Vec<String>,
    /// Constants too large for an instruction.
    pub constants: Vec<Word>,
    pub types: Vec<Type>,
    pub enums: Vec<Enum>,
    /// Kinds; 0 is the match, 1 is the player.
    pub kinds: Vec<EntityKind>,
    pub props: Vec<Prop>,
    pub zones: Vec<Zone>,
    /// The code of phases that rules can leave from elsewhere.
    pub phase_blocks: Vec<PhaseBlock>,
    /// For each zone whose things may lie face down: the properties that decide which of them do.
    pub face_props: Vec<(ZoneId, Vec<PropId>)>,
    pub defs: Vec<Def>,
    /// Event types; the native ones come first.
    pub events: Vec<EventType>,
    pub phases: Vec<Phase>,
    /// Outcomes a match may have.
    pub outcomes: Vec<Symbol>,
    pub choices: Vec<Choice>,
    pub creates: Vec<Create>,
    pub rolls: Vec<Roll>,
    pub reactions: Vec<Reaction>,
    /// Reaction order among players: true puts the active player's rules last (`apnap`) instead of first.
    pub active_last: bool,
    /// Set if players order their own reactions (`chosen`).
    pub ordering: Option<OrderingRoutines>,
    /// Asks several players which secret reactions they use; parameters are the players and, by player, the options:
    /// records of rule and source. Set if there are secret reactions.
    pub secret_question: Option<RoutineId>,
    /// Actions and abilities.
    pub actions: Vec<Action>,
    /// Result of an endless loop of rules: true ends the match (`loop: draw`), false rejects the input.
    pub loops_draw: bool,
    pub modifiers: Vec<Modifier>,
    /// Standing effects that give traits to entities or take their rules away.
    pub grants: Vec<Grant>,
    /// Traits that are not lost with all others: those with `ability: false`.
    pub lasting_traits: Vec<DefId>,
    /// The kinds whose entities can become copies.
    pub copies: Vec<CopyForm>,
    pub chains: Vec<ModifierChain>,
    /// Properties that events reset.
    pub resets: Vec<PropReset>,
    /// Durations of traits.
    pub durations: Vec<TraitDuration>,
    pub routines: Vec<Routine>,
    /// The functions whose results are single words: numbers, names, entities.
    pub plain_results: Vec<RoutineId>,
    /// All instructions.
    pub code: Vec<Instr>,
    /// Source locations: (first instruction, location), ascending.
    pub locations: Vec<(u32, SourceLocation)>,
    /// Names of the source files.
    pub files: Vec<String>,
    pub seats: SeatCount,
    /// Options of a match. Option i is column i of the match's row.
    pub options: Vec<MatchOption>,
    /// Runs once at the start.
    pub setup: Option<RoutineId>,
    /// Runs after setup: the course of the match.
    pub flow: Option<RoutineId>,
    pub limits: GuardLimits,
    /// Currency, entry fee and pot.
    pub stakes: Option<Stakes>,
    pub clock: Option<TimeControl>,
    /// Set if the ruleset has teams.
    pub teams: Option<TeamRules>,
    /// True if hidden information stays hidden after the end (`afterwards: closed`).
    pub stays_hidden: bool,
    /// Evaluation function for bots (`bots.value`): takes a player and returns a number.
    pub evaluation: Option<RoutineId>,
    /// Tutorial lessons in order.
    pub lessons: Vec<Lesson>,
    /// Custom client messages.
    pub messages: Vec<Message>,
    /// Property whose value labels an entity in clients (`ui.label`); without it, the title of its def does.
    pub label: Option<Symbol>,
    /// The ruleset's `ui` and `tutorial`, and the `ui` of its `defs` and `kinds` by name, as JSON text.
    pub metadata: String,
    /// Coverage counters; empty unless the program was compiled for coverage.
    pub coverage: CoverageCounters,
    /// True if the engine runs the code as it is, without specialised code and fast paths. The results are the
    /// same; tests compare the two.
    pub unoptimized: bool,
    /// The engine's cached analysis of the program.
    pub cached_analysis: CachedAnalysis,
}

/// One step of a tutorial. The first two parameters of its routines are the learner, as `you` and `actor`.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Name in files and clients.
    pub name: String,
    /// Text for the learner.
    pub say: TextId,
    /// Name of the question it belongs to; `None` means any question.
    pub question: Option<String>,
    /// Condition for showing it.
    pub condition: Option<RoutineId>,
    /// Entities it is about.
    pub highlight: Option<RoutineId>,
    /// Event that ends it; without one, it is shown once.
    pub until: Option<LessonEnd>,
}

/// Event that ends a lesson.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LessonEnd {
    pub event: EventId,
    /// Test of the learner and the payload.
    pub condition: Option<RoutineId>,
}

impl Program {
    /// Returns the type of the scores with which a match can end, a map from players to numbers. `None` if no rule
    /// ends the match with a score.
    #[must_use]
    pub fn score_type(&self) -> Option<TypeId> {
        let ended = &self.events.get(crate::native::MATCH_ENDED.index())?.fields;
        ended.get(crate::native::SCORE_FIELD).map(|field| field.ty)
    }

    /// Returns true if rules may be given, taken away or copied while a match runs.
    #[must_use]
    pub fn has_changing_rules(&self) -> bool {
        !self.grants.is_empty() || !self.copies.is_empty()
    }

    /// Returns true if some rule rolls dice that not everyone sees.
    #[must_use]
    pub fn hides_rolls(&self) -> bool {
        let rolled = self.events.get(crate::native::ROLLED.index());
        rolled.is_some_and(|rolled| rolled.fields.len() > crate::native::ROLL_SEEN_FIELD)
    }

    /// Returns the spelling of a symbol.
    #[must_use]
    pub fn symbol(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.index()]
    }

    /// Finds the symbol spelt `name`, if the program uses it.
    #[must_use]
    pub fn symbol_named(&self, name: &str) -> Option<Symbol> {
        self.spelling_index.find(&self.symbols, name)
    }

    /// Finds the event type called `name`.
    #[must_use]
    pub fn event_named(&self, name: &str) -> Option<EventId> {
        self.events.iter().position(|event| event.name == name).map(|index| EventId(index as u16))
    }

    /// Finds the message called `name`.
    #[must_use]
    pub fn message_named(&self, name: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.name == name)
    }

    /// Finds the property called `name` of an entity of `kind`, its own or inherited.
    #[must_use]
    pub fn prop_of(&self, kind: KindId, name: Symbol) -> Option<PropId> {
        self.kinds[kind.index()].props.iter().copied().find(|prop| self.props[prop.index()].name == name)
    }

    /// Tells whether `kind` is `ancestor` or extends it, directly or not.
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

    /// Returns the source location of the instruction at `pc`.
    #[must_use]
    pub fn location(&self, pc: u32) -> Option<SourceLocation> {
        let after = self.locations.partition_point(|(start, _)| *start <= pc);
        after.checked_sub(1).map(|index| self.locations[index].1)
    }
}

/// Static type of a word; every type includes null.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Int,
    Bool,
    Symbol,
    /// A symbol of a closed set.
    Enum(EnumId),
    /// A text for display.
    Text,
    /// An entity of any kind, players and the match included.
    Entity,
    /// An entity of this kind.
    Kind(KindId),
    /// A zone instance.
    Zone,
    /// A pool of dice.
    Dice,
    /// An event in progress. Never part of stored state.
    Event,
    /// Items of one type.
    List(TypeId),
    /// One value for each player.
    PlayerMap(TypeId),
    /// One value for each member of an enum.
    EnumMap(EnumId, TypeId),
    /// Named fields in order.
    Record(Vec<(Symbol, TypeId)>),
    /// The type of a `Changed` event's values, which is that of the changed property.
    Any,
    /// An action open to a player, with its host and targets; see [`Action`].
    Offer,
}

/// A closed set of symbols.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name in `types`.
    pub name: String,
    pub members: Vec<Symbol>,
}

/// A kind of entity. Its columns begin with those of its parent, in the same places.
///
/// Column 0 of every kind but the match and the player is the property `known`
/// ([`native::KNOWN`](crate::native::KNOWN)), a list of players.
#[derive(Clone, Debug)]
pub struct EntityKind {
    pub name: String,
    /// The kind it extends.
    pub parent: Option<KindId>,
    /// All its properties, inherited ones first; stored ones in column order.
    pub props: Vec<PropId>,
    /// Number of words in a row.
    pub columns: u16,
    /// Zones each entity of this kind has, in [`Program::zones`] order.
    pub zones: Vec<ZoneId>,
}

#[derive(Clone, Debug)]
pub struct Prop {
    pub name: Symbol,
    pub ty: TypeId,
    /// Column in the row; unused for derived properties.
    pub column: u16,
    /// Function of the entity that computes the property on every read; `None` if it is stored.
    pub derived: Option<RoutineId>,
    /// Value in a new entity, unless its def or `with` sets another.
    pub initial: InitialValue,
    /// Lower bound; smaller writes are clamped.
    pub min: PropBound,
    /// Upper bound; larger writes are clamped.
    pub max: PropBound,
    /// Visibility on an entity that the viewer can see.
    pub visible: Visibility,
    pub resource: bool,
    /// Indexes of the [`Program::modifiers`] that may change the value read.
    pub modifiers: Vec<u16>,
}

/// The value a property starts with.
#[derive(Clone, Copy, Debug)]
pub enum InitialValue {
    /// The same value for every entity.
    Word(Word),
    /// Computed by a function of the new entity when it is created.
    Computed(RoutineId),
}

/// A bound for the values of a property.
#[derive(Clone, Copy, Debug)]
pub enum PropBound {
    /// No limit.
    None,
    /// A constant bound.
    Word(Word),
    /// Computed by a function of the entity.
    Computed(RoutineId),
}

#[derive(Clone, Copy, Debug)]
pub enum Visibility {
    /// Everyone.
    All,
    /// Nobody.
    None,
    /// The owner of the entity or zone.
    Owner,
    /// The players for which this function is true. Its parameters are the viewer (a player) and the subject
    /// (entity for properties, zone instance for zones); for events the payload fields follow the viewer.
    Computed(RoutineId),
    /// For zones: the viewers for whom this function is true of an entity at its position. Its parameters are the viewer
    /// (a player, or null for spectators), the zone instance, the index and, if it has a fourth, the entity.
    ByPosition(RoutineId),
    /// For events: everyone sees the event, but an entity in it only if they see the entity.
    ByContents,
}

/// A zone as declared. It has one instance per entity it belongs to, or a single instance.
#[derive(Clone, Debug)]
pub struct Zone {
    pub name: Symbol,
    /// Kind of entity each instance belongs to.
    pub of: Option<KindId>,
    /// Kind of entity it holds; `None` for any kind of the ruleset.
    pub holds: Option<KindId>,
    /// Visibility of its contents.
    pub visible: Visibility,
    /// True if the order matters to players (`order: list`).
    pub ordered: bool,
    /// True if the rules of entities in it are active.
    pub active: bool,
    /// True if an entity that enters it becomes a new object.
    pub renews: bool,
    /// True if an entity that comes from another instance of the zone does not.
    pub renews_from_outside: bool,
    /// Capacity.
    pub max: Option<u32>,
}

/// A definition that entities are made from.
#[derive(Clone, Debug)]
pub struct Def {
    pub name: Symbol,
    pub kind: KindId,
    /// Properties with another initial value.
    pub props: Vec<(PropId, InitialValue)>,
    /// Traits of each new entity: the trait's def and its parameters, functions of the entity.
    pub traits: Vec<(DefId, Vec<(PropId, InitialValue)>)>,
    /// True for a trait: its entities are in no zone but attached to a host, and their rules are the host's.
    pub is_trait: bool,
    pub title: TextId,
    /// Rules text for players.
    pub text: Option<TextId>,
}

/// A field of an event's payload.
#[derive(Clone, Debug)]
pub struct PayloadField {
    pub name: Symbol,
    pub ty: TypeId,
}

/// A type of event.
///
/// All its code shares one routine: payload field i is register [`Reg::CONTEXT`](crate::Reg::CONTEXT) + i.
#[derive(Clone, Debug)]
pub struct EventType {
    pub name: String,
    /// Its name as a symbol.
    pub symbol: Symbol,
    pub fields: Vec<PayloadField>,
    /// Registers of its code; `None` if it has no code.
    pub routine: Option<RoutineId>,
    /// Entry of the test that suppresses the event; ends with `Return`.
    pub unless: Option<u32>,
    /// Entry of the fold; ends with `Done`. Contains only pure instructions and `Write`s.
    pub apply: Option<u32>,
    /// Entry of the consequences; ends with `Done`.
    pub then: Option<u32>,
    pub visible: Visibility,
    /// True if reactions may prevent it.
    pub preventable: bool,
    /// Function of the payload that returns the player who picks the first of several before-reactions, if
    /// players choose.
    pub chooser: Option<RoutineId>,
    /// Reactions before it, in declaration order.
    pub before: Vec<ReactionId>,
    /// Reactions after it, in declaration order.
    pub after: Vec<ReactionId>,
    /// Indexes of the [`Program::resets`] it triggers.
    pub resets: Vec<u16>,
    /// Indexes of the [`Program::durations`] that it may end.
    pub durations: Vec<u16>,
    /// Sentence for display with `{field}` placeholders, from its `text`.
    pub text: Option<TextId>,
}

/// Position of a reaction relative to its event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReactionTiming {
    /// Before the event is applied.
    Before,
    /// After its consequences.
    After,
}

/// Owner of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleHost {
    /// The game itself.
    Game,
    /// Every entity made from the def, while it is in a zone where its rules are active.
    Def(DefId),
}

/// Limit on the uses of a reaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReactionLimit {
    /// Greatest number of uses.
    pub count: u16,
    /// Period in which uses are counted.
    pub scope: LimitScope,
    /// Uses that are counted together.
    pub key: LimitKey,
    /// True if a use counts once the reaction is agreed to and paid for, false if it counts when triggered.
    pub on_use: bool,
}

/// Uses that a limit counts together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitKey {
    /// Uses by one owner of the rule: an entity of the def, or one attached trait.
    Instance,
    /// Uses by all owners of the rule.
    Rule,
    /// Uses for one entity the rule is about: by all traits of that name attached to it.
    Source,
}

/// Frequency of a reaction in a batch. A batch is the events of one group, or a single event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PerBatch {
    /// Once per event.
    Each,
    /// Once per combination of values of these payload fields; an empty list means once.
    Key(Vec<u16>),
}

/// Period of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitScope {
    /// One event.
    Event,
    /// One run of the phase; the whole match while the phase is not active.
    Phase(PhaseId),
    /// The match.
    Match,
}

/// A rule triggered by events.
///
/// Its routines find the event's frame in [`Reg::EVENT`](crate::Reg::EVENT), the entity that has the rule in
/// [`Reg::SELF`](crate::Reg::SELF) and its controller in [`Reg::YOU`](crate::Reg::YOU).
#[derive(Clone, Debug)]
pub struct Reaction {
    pub name: Symbol,
    /// Event that triggers it.
    pub event: EventId,
    pub when: ReactionTiming,
    /// Higher priorities run first.
    pub priority: i32,
    /// Rank of its id among all ids in alphabetical order; breaks ties of priority and player.
    pub rank: u16,
    pub host: RuleHost,
    /// Zones its host must be in; empty means any active zone.
    pub zones: Vec<ZoneId>,
    /// Payload field that must be the host, if the condition requires it: then only that entity can react.
    pub key: Option<u16>,
    /// Limits, all of which apply.
    pub limits: Vec<ReactionLimit>,
    pub per: PerBatch,
    /// True if its code gets a list of the events of the batch that fit, as a parameter before the targets.
    pub lists_batch: bool,
    /// Property of its stack item with this list.
    pub batch_prop: Option<PropId>,
    /// True if it sees entities that left in the batch as they were just before the batch.
    pub looks_back: bool,
    /// Pure test; `None` means always true.
    pub condition: Option<RoutineId>,
    pub effects: RoutineId,
    /// Def of its stack item, if it goes on the stack before it runs.
    pub item: Option<DefId>,
    /// Targets chosen when it goes on the stack, properties of its stack item. They are the parameters of its effects.
    pub targets: Vec<ActionParam>,
    /// Asks for these targets and puts the item on the stack; the parameter is the item.
    pub aim: Option<RoutineId>,
    /// Pure check of these targets at resolution. Returns those still legal, or null if one was lost.
    pub recheck: Option<RoutineId>,
    /// True if its code announces it with `AnnounceReaction`, after its controller has agreed.
    pub announces_itself: bool,
    /// True if all players who could have it are asked at once, with hidden answers (`secret`).
    pub is_secret: bool,
    /// For a secret reaction: the pure test in `when`, which reads only public information. It decides who is asked.
    pub public_condition: Option<RoutineId>,
    /// Location of its declaration.
    pub location: Option<SourceLocation>,
}

impl Reaction {
    /// Builds an unconditional rule of the game itself, without limits.
    #[must_use]
    pub fn of_game(name: Symbol, event: EventId, when: ReactionTiming, effects: RoutineId) -> Self {
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
            per: PerBatch::Each,
            lists_batch: false,
            batch_prop: None,
            looks_back: false,
            condition: None,
            effects,
            item: None,
            targets: Vec::new(),
            aim: None,
            recheck: None,
            announces_itself: false,
            is_secret: false,
            public_condition: None,
            location: None,
        }
    }
}

/// Routines by which players order reactions; parameters are the player asked and the options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderingRoutines {
    /// Picks one of a list of records of rule (a symbol) and source (an entity or null).
    pub first: RoutineId,
    /// Orders a list of such records.
    pub all: RoutineId,
    /// Orders a list of reactions that wait for the stack.
    pub items: RoutineId,
}

/// A lasting change of a value, while its host's rules are active.
#[derive(Clone, Debug)]
pub struct Modifier {
    /// Name in logs and explanations.
    pub name: String,
    pub host: RuleHost,
    /// Lower layers apply first; then older sources, then declaration order.
    pub layer: i32,
    /// True if it applies only to its host.
    pub own: bool,
    /// True if it adds items to a list. It is tried again after others of its layer, because its test may depend on them.
    pub adds_items: bool,
    /// Zones its host must be in; empty means any active zone.
    pub zones: Vec<ZoneId>,
    /// For a property: function of the entity and the current value. For a chain: function of the record.
    /// Returns the new value, or the old one if it does not apply.
    pub change: RoutineId,
}

/// A standing effect on traits: while its host's rules are active, entities for which the test holds have a trait more, or
/// rules less.
#[derive(Clone, Debug)]
pub struct Grant {
    pub host: RuleHost,
    /// Lower layers apply first; then older sources, then declaration order.
    pub layer: i32,
    /// Zones its host must be in; empty means any active zone.
    pub zones: Vec<ZoneId>,
    /// Kind of the entities it is about.
    pub to: KindId,
    /// Zones that those must be in; empty means any active zone.
    pub within: Vec<ZoneId>,
    /// Test of an entity; `None` means always true.
    pub condition: Option<RoutineId>,
    pub effect: GrantEffect,
    pub location: Option<SourceLocation>,
}

/// The effect of a [`Grant`] on an entity.
#[derive(Clone, Debug)]
pub enum GrantEffect {
    /// It has this trait; the arguments are functions of the entity.
    Gives(DefId, Vec<(PropId, RoutineId)>),
    /// Its own rules and the traits it has up to then are out of force, except [`Program::lasting_traits`].
    LosesAll,
    /// The traits of these names are out of force.
    Loses(Vec<DefId>),
}

/// How entities of a kind become copies of others: a trait that remembers what the host was before.
#[derive(Clone, Debug)]
pub struct CopyForm {
    pub kind: KindId,
    /// The trait that is attached to a copy as long as it is one.
    pub def: DefId,
    /// Its property with the def that the host has become.
    pub form: PropId,
    /// The def that the host was before.
    pub form_before: PropId,
    /// Number among the copy traits of a host; the highest counts.
    pub order: PropId,
    /// The printed properties: of the host, and of the trait the copied value and the one before.
    pub printed: Vec<(PropId, PropId, PropId)>,
}

/// A staged computation over a record.
#[derive(Clone, Debug)]
pub struct ModifierChain {
    pub name: Symbol,
    /// For each stage, indexes into [`Program::modifiers`].
    pub stages: Vec<Vec<u16>>,
}

/// A reset of a property by an event: after the event, each entity of the kind (or only the one concerned)
/// for which `condition` is true gets the value of `to` by a `Changed` event.
#[derive(Clone, Debug)]
pub struct PropReset {
    pub prop: PropId,
    pub kind: KindId,
    /// Payload fields (by index) that name the entity concerned, in order of preference; empty means all
    /// entities of the kind.
    pub concerning: Vec<u16>,
    /// Test with the parameters entity, then payload fields; `None` means always true.
    pub condition: Option<RoutineId>,
    /// New value, a function of the entity.
    pub to: RoutineId,
}

/// A duration of traits: after the event, traits with this duration are removed if the test is true.
#[derive(Clone, Debug)]
pub struct TraitDuration {
    pub name: Symbol,
    /// Event that may end it.
    pub event: EventId,
    /// Test in the context of the trait; `None` means always true.
    pub condition: Option<RoutineId>,
}

/// A named scope of the flow.
#[derive(Clone, Debug)]
pub struct Phase {
    pub name: Symbol,
    pub title: TextId,
}

/// The code of a phase that rules elsewhere can leave.
#[derive(Clone, Copy, Debug)]
pub struct PhaseBlock {
    pub phase: PhaseId,
    /// The routine it belongs to.
    pub routine: RoutineId,
    /// First instruction after the start of the phase.
    pub start: u32,
    /// The [`Instr::CloseInner`] at its end.
    pub end: u32,
}

/// A `create` statement. Argument registers: def (a symbol), owner (player or null), zone (instance or null),
/// host (entity or null), until (a duration's symbol or null), then one value for each entry of `with`.
#[derive(Clone, Debug)]
pub struct Create {
    /// Names of the properties given by `with`.
    pub with: Vec<Symbol>,
    /// True to create it at the front of the zone.
    pub top: bool,
}

/// A `roll` statement. Argument registers: dice (or count and list, for `Draw`), keep (a symbol: highest, lowest, all,
/// or null for all), by (entity or null). For `Draw`: count, list, by. In a program that
/// [hides rolls](Program::hides_rolls), a fourth: the players who see it, or null.
#[derive(Clone, Debug)]
pub struct Roll {
    /// Label of the roll in the log and for scripted dice.
    pub label: Option<Symbol>,
}

/// Code with its registers.
#[derive(Clone, Debug)]
pub struct Routine {
    /// Name in logs and explanations, such as `flow`, `procs.finalize` or `events.Hurt`.
    pub name: String,
    /// First instruction. Unused for event routines, which have their own entries.
    pub entry: u32,
    /// Number of parameters after the context.
    pub params: u16,
    /// Types of the registers that survive waits: context, parameters, locals.
    pub locals: Vec<TypeId>,
    /// Number of registers, temporaries included.
    pub registers: u16,
    /// True if the routine has no effect besides its result.
    pub pure: bool,
}

/// Number of players a match can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatCount {
    pub min: u8,
    pub max: u8,
    pub default: u8,
}

impl Default for SeatCount {
    fn default() -> Self {
        SeatCount { min: 2, max: 2, default: 2 }
    }
}

/// An option of a match.
#[derive(Clone, Debug)]
pub struct MatchOption {
    pub name: Symbol,
    pub ty: TypeId,
    /// Default value, a function without parameters.
    pub default: RoutineId,
    /// Least value of a number.
    pub min: Option<Word>,
    /// Greatest value of a number.
    pub max: Option<Word>,
    /// True if null is allowed despite the bounds.
    pub may_be_null: bool,
    /// Description for players.
    pub text: Option<TextId>,
}

/// Guards against rules that do not terminate. Reaching one is a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuardLimits {
    /// Backward jumps, calls and loop passes per input.
    pub steps: u32,
    /// Frames at the same time.
    pub depth: u32,
    /// Reactions to one event.
    pub reactions: u32,
    /// Events per input.
    pub events: u32,
    /// Entities at the same time.
    pub entities: u32,
    /// Words of lists, records and maps per input.
    pub heap: u32,
}

impl Default for GuardLimits {
    fn default() -> Self {
        GuardLimits {
            steps: 1_000_000,
            depth: 4_096,
            reactions: 1_000,
            events: 100_000,
            entities: 20_000,
            heap: 4_000_000,
        }
    }
}

/// Stakes of a match.
#[derive(Clone, Debug)]
pub struct Stakes {
    pub currency: String,
    /// Entry fee per seat, a function without parameters.
    pub entry: RoutineId,
    /// Amount in the pot, a function without parameters.
    pub pot: RoutineId,
}

/// Time limits besides the deadlines of questions. The host enforces them: the engine has no clock.
///
/// All but the last are functions without parameters that return milliseconds or null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// Time of each player for the whole match; null for unlimited.
    pub bank: Option<RoutineId>,
    /// Time added with each answer; null for none.
    pub increment: Option<RoutineId>,
    /// Time a connection may be lost before the player is considered gone; null for unlimited.
    pub grace: Option<RoutineId>,
    /// Bot that replaces a player whose time bank is empty or whose connection is lost for too long; without
    /// one, the player leaves.
    pub takeover: Option<Takeover>,
}

/// The teams of a ruleset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TeamRules {
    /// The kind of teams.
    pub kind: KindId,
    /// Property of players: their team, an entity.
    pub prop: PropId,
    /// Returns the lists of seats, a function without parameters. A seat in none is a team of its own.
    pub lists: RoutineId,
}

/// A bot that replaces a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takeover {
    /// Plays randomly.
    Random,
    /// Looks one step ahead.
    Greedy,
    /// Searches by Monte Carlo tree search.
    Mcts,
}

impl Takeover {
    /// All values with their names in rulesets.
    pub const NAMES: [(&'static str, Takeover); 3] =
        [("random", Takeover::Random), ("greedy", Takeover::Greedy), ("mcts", Takeover::Mcts)];

    /// Returns the name in rulesets.
    #[must_use]
    pub fn name(self) -> &'static str {
        Takeover::NAMES.iter().find(|(_, takeover)| *takeover == self).map_or("random", |(name, _)| name)
    }
}
