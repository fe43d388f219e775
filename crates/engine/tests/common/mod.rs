//! Programs built by hand, for testing the engine without a compiler.
#![allow(dead_code, unreachable_pub)]

pub mod sample_program;

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, EventLog, Input, InputId, Match, Refusal, Seed, Setup};
use intermezzo_program::*;

/// Builder of a program.
pub struct ProgramBuilder {
    pub program: Program,
}

/// First local after the context, without parameters.
pub const L0: Reg = Reg(5);

pub fn l(n: u16) -> Reg {
    Reg(5 + n)
}

impl ProgramBuilder {
    /// Creates a program with two seats and the native tables.
    pub fn new() -> ProgramBuilder {
        let mut build = ProgramBuilder { program: Program { hash: [7; 32], ..Program::default() } };
        for symbol in native::SYMBOLS {
            build.symbol(symbol);
        }
        build.program.texts.push("a title".to_owned());
        for name in ["match", "player"] {
            build.program.kinds.push(EntityKind {
                name: name.to_owned(),
                parent: None,
                props: vec![],
                columns: 0,
                zones: vec![],
            });
        }
        for (name, fields) in native::EVENTS {
            let fields = fields
                .iter()
                .map(|(name, ty)| PayloadField { name: build.symbol(name), ty: build.named_type(ty) })
                .collect();
            build.program.events.push(event(name, fields));
        }
        build
    }

    fn named_type(&mut self, name: &str) -> TypeId {
        match name {
            "symbol" | "maybe<symbol>" | "def" | "phase" => self.ty(Type::Symbol),
            "entity" | "maybe<entity>" | "maybe<Action>" | "maybe<Reaction>" => self.ty(Type::Entity),
            "player" | "maybe<player>" => self.ty(Type::Kind(KindId::PLAYER)),
            "zone" | "maybe<zone>" => self.ty(Type::Zone),
            "int" => self.ty(Type::Int),
            "any" => self.ty(Type::Any),
            "dice" => self.ty(Type::Dice),
            "list<int>" => self.list(Type::Int),
            "list<player>" => self.list(Type::Kind(KindId::PLAYER)),
            other => panic!("no such type: {other}"),
        }
    }

    pub fn symbol(&mut self, name: &str) -> Symbol {
        self.program.symbol_named(name).unwrap_or_else(|| {
            self.program.symbols.push(name.to_owned());
            Symbol(self.program.symbols.len() as u32 - 1)
        })
    }

    pub fn ty(&mut self, ty: Type) -> TypeId {
        let place = self.program.types.iter().position(|other| *other == ty);
        TypeId(place.unwrap_or_else(|| {
            self.program.types.push(ty);
            self.program.types.len() - 1
        }) as u16)
    }

    pub fn list(&mut self, item: Type) -> TypeId {
        let item = self.ty(item);
        self.ty(Type::List(item))
    }

    pub fn int(&mut self) -> TypeId {
        self.ty(Type::Int)
    }

    pub fn player(&mut self) -> TypeId {
        self.ty(Type::Kind(KindId::PLAYER))
    }

    pub fn prop(&mut self, kind: KindId, name: &str, ty: TypeId, initial: Word) -> PropId {
        let name = self.symbol(name);
        let id = PropId(self.program.props.len() as u16);
        let kind = &mut self.program.kinds[kind.index()];
        self.program.props.push(Prop {
            name,
            ty,
            column: kind.columns,
            derived: None,
            initial: InitialValue::Word(initial),
            min: PropBound::None,
            max: PropBound::None,
            visible: Visibility::All,
            resource: false,
            modifiers: vec![],
        });
        kind.columns += 1;
        kind.props.push(id);
        id
    }

    pub fn kind(&mut self, name: &str) -> KindId {
        let id = KindId(self.program.kinds.len() as u16);
        self.program.kinds.push(EntityKind {
            name: name.to_owned(),
            parent: None,
            props: vec![],
            columns: 0,
            zones: vec![],
        });
        let known = self.list(Type::Kind(KindId::PLAYER));
        self.prop(id, "known", known, 0);
        id
    }

    pub fn zone(&mut self, name: &str, of: Option<KindId>, visible: Visibility, max: Option<u32>) -> ZoneId {
        let name = self.symbol(name);
        let id = ZoneId(self.program.zones.len() as u16);
        self.program.zones.push(Zone {
            name,
            of,
            // These programs have no stack, so their own kind has the number that items have elsewhere.
            holds: Some(KindId::ITEM),
            visible,
            ordered: true,
            active: false,
            renews: false,
            renews_from_outside: false,
            max,
        });
        if let Some(of) = of {
            self.program.kinds[of.index()].zones.push(id);
        }
        id
    }

    pub fn def(&mut self, name: &str, kind: KindId) -> Symbol {
        let name = self.symbol(name);
        self.program.defs.push(Def {
            name,
            kind,
            props: vec![],
            traits: vec![],
            is_trait: false,
            title: TextId(0),
            text: None,
        });
        name
    }

    pub fn event(&mut self, name: &str, fields: &[(&str, TypeId)]) -> EventId {
        let fields =
            fields.iter().map(|(name, ty)| PayloadField { name: self.symbol(name), ty: *ty }).collect();
        self.program.events.push(event(name, fields));
        EventId(self.program.events.len() as u16 - 1)
    }

    pub fn event_mut(&mut self, id: EventId) -> &mut EventType {
        &mut self.program.events[id.index()]
    }

    /// Adds code; `make` gets its first address.
    pub fn code(&mut self, make: impl FnOnce(u32) -> Vec<Instr>) -> u32 {
        let at = self.program.code.len() as u32;
        self.program.code.extend(make(at));
        at
    }

    /// Adds a routine whose registers after the context have the types `locals`, then 20 temporaries.
    pub fn routine(
        &mut self,
        name: &str,
        params: u16,
        locals: &[TypeId],
        make: impl FnOnce(u32) -> Vec<Instr>,
    ) -> RoutineId {
        let entry = self.code(make);
        let place = SourceLocation { file: 0, line: self.program.routines.len() as u32 + 1 };
        self.program.locations.push((entry, place));
        let entity = self.ty(Type::Entity);
        let event = self.ty(Type::Event);
        let mut types = vec![entity, entity, entity, event, entity];
        types.extend_from_slice(locals);
        let registers = types.len() as u16 + 20;
        self.program.routines.push(Routine {
            name: name.to_owned(),
            entry,
            params,
            locals: types,
            registers,
            pure: false,
        });
        RoutineId(self.program.routines.len() as u16 - 1)
    }

    pub fn flow(&mut self, locals: &[TypeId], make: impl FnOnce(u32) -> Vec<Instr>) {
        self.program.flow = Some(self.routine("flow", 0, locals, make));
    }

    pub fn choice(&mut self, shape: AnswerShape, how: AnswerMode, item: TypeId, single: bool) -> ChoiceId {
        let value = match (shape, single) {
            (AnswerShape::Branches, _) => {
                let (id, selection) = (self.symbol("id"), self.symbol("selection"));
                let symbol = self.ty(Type::Symbol);
                let items = self.ty(Type::List(item));
                let record = self.ty(Type::Record(vec![(id, symbol), (selection, items)]));
                if single { record } else { self.ty(Type::List(record)) }
            }
            (_, true) => item,
            (_, false) => self.ty(Type::List(item)),
        };
        let result = self.result(how, value);
        self.program.choices.push(Choice {
            name: "chosen".to_owned(),
            mode: how,
            shape,
            kind: InputKind::Select,
            item,
            value,
            result,
            single,
            secret: false,
            pass: false,
            always_ask: false,
            pass_title: None,
            blind: false,
            tests: None,
            repeats: false,
            texts: None,
            rule: None,
            draft: None,
            title: TextId(0),
            branches: vec![],
            next: None,
            closes: false,
            may_be_empty: false,
        });
        ChoiceId(self.program.choices.len() as u16 - 1)
    }

    fn result(&mut self, how: AnswerMode, value: TypeId) -> TypeId {
        let player = self.player();
        let (bool, symbol) = (self.ty(Type::Bool), self.ty(Type::Symbol));
        let names = ["value", "touched", "how", "actor"].map(|name| self.symbol(name));
        match how {
            AnswerMode::One => value,
            AnswerMode::Any | AnswerMode::First => {
                self.ty(Type::Record(vec![(names[3], player), (names[0], value)]))
            }
            AnswerMode::Each => {
                let record =
                    self.ty(Type::Record(vec![(names[0], value), (names[1], bool), (names[2], symbol)]));
                self.ty(Type::PlayerMap(record))
            }
        }
    }

    pub fn choice_mut(&mut self, id: ChoiceId) -> &mut Choice {
        &mut self.program.choices[id.index()]
    }

    pub fn done(self) -> Arc<Program> {
        Arc::new(self.program)
    }
}

fn event(name: &str, fields: Vec<PayloadField>) -> EventType {
    EventType {
        name: name.to_owned(),
        symbol: native::KNOWN,
        fields,
        routine: None,
        unless: None,
        apply: None,
        then: None,
        visible: Visibility::ByContents,
        preventable: true,
        chooser: None,
        before: vec![],
        after: vec![],
        resets: vec![],
        durations: vec![],
        text: None,
    }
}

pub fn setup(number: u64) -> Setup {
    Setup { seats: 2, options: vec![], seed: Seed::from_number(number), script: None }
}

pub fn start(program: &Arc<Program>, log: &mut EventLog) -> Match {
    Match::start(Arc::clone(program), &setup(1), log).expect("the match starts")
}

pub fn answer(game: &mut Match, log: &mut EventLog, seat: u8, picks: &[i32]) -> Result<(), Refusal> {
    let input = game.pending().find(|pending| pending.seat() == Seat(seat)).map_or(InputId(0), |p| p.id());
    submit(game, log, input, seat, Answer::Picks(picks.to_vec()))
}

pub fn submit(
    game: &mut Match,
    log: &mut EventLog,
    input: InputId,
    seat: u8,
    answer: Answer,
) -> Result<(), Refusal> {
    game.submit(&Input::Answer { input, seat: Seat(seat), answer }, log)
}

/// Returns the instructions that ask each of `seats` for numbers from 0 to `options` − 1 and store the answer
/// in `dst`.
pub fn ask_numbers(
    choice: ChoiceId,
    dst: Reg,
    seats: &[i32],
    options: i32,
    min: Word,
    max: Word,
    temps: Reg,
) -> Vec<Instr> {
    let t = |n: u16| temps.offset(n);
    let mut code = vec![Instr::Open { choice }];
    for seat in seats {
        code.extend([
            Instr::Int { dst: t(0), value: seat + 1 },
            Instr::Int { dst: t(1), value: 0 },
            Instr::Int { dst: t(2), value: options - 1 },
            Instr::Range { dst: t(1), from: t(1), to: t(2) },
            word_to(t(2), min),
            word_to(t(3), max),
            Instr::Const { dst: t(4), index: 0 },
            Instr::Const { dst: t(5), index: 0 },
            Instr::Ask { choice, args: t(0) },
        ]);
    }
    code.push(Instr::Await { dst, choice });
    code
}

/// Returns the instruction that loads a value; constant 0 of every test program is null.
pub fn word_to(dst: Reg, value: Word) -> Instr {
    if value == NULL { Instr::Const { dst, index: 0 } } else { Instr::Int { dst, value: value as i32 } }
}

pub fn int(datum: &Datum) -> i64 {
    match datum {
        Datum::Int(number) => *number,
        other => panic!("not a number: {other:?}"),
    }
}
