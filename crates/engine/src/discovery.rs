//! What a seat can do now, what it would cost, and why the rest cannot be done; and drags that mean an action.

use intermezzo_ruleset::{Action, InputKind, Manipulated, NULL, Seat, TypeId, Word, word};

use smol_str::format_smolstr;

use crate::agenda::{Agenda, Meter};
use crate::board::Board;
use crate::core::Core;
use crate::datum::{Datum, Text, describe_with, describe_zone};
use crate::input::{Answer, Fault, InputId, Rejection};
use crate::offers::{Closed, OFFER_HEAD};
use crate::play::Match;
use crate::witness::{Viewer, Witness};

type Entries = Vec<(Text, Datum)>;

impl Match {
    /// Asks something of the rules without changing the match; gives the answer and the board its values are on.
    pub(crate) fn ask_rules<T>(
        &self,
        ask: impl FnOnce(&mut Core<'_>) -> Result<T, intermezzo_ruleset::FaultCode>,
    ) -> Result<(T, Board), Fault> {
        let (answer, board, _) = self.compute(false, ask)?;
        Ok((answer, board))
    }

    /// How many different actions a seat could take now, whether or not it is asked. None once the match is over.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn offer_count(&self, seat: Seat) -> Result<usize, Fault> {
        if self.is_over() {
            return Ok(0);
        }
        let (offers, board) = self.ask_rules(|core| core.sound_offers(word::player(seat)))?;
        Ok(board.list(offers).map_or(0, <[Word]>::len))
    }
}

impl Witness {
    /// What a seat can do now, with costs and targets, and why the rest cannot be done. It is told only about what
    /// it sees: the reasons of a hidden card would tell what it is.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn actions(&mut self, game: &Match, seat: Seat) -> Result<Datum, Fault> {
        let player = word::player(seat);
        if game.is_over() {
            return Ok(all_actions(false, Vec::new(), Vec::new()));
        }
        let (offers, mut board) = game.ask_rules(|core| core.sound_offers(player))?;
        let (closed, _) = game.ask_rules(|core| core.closed(player))?;
        let offers = board.list(offers).unwrap_or(&[]).to_vec();
        let mut available = Vec::with_capacity(offers.len());
        let mut open: Vec<(Word, Word)> = Vec::new();
        for offer in offers {
            let (action, host) = match board.list(offer) {
                Some([action, _, host, ..]) => (*action, *host),
                _ => continue,
            };
            if !self.sees_host(seat, host) {
                continue;
            }
            open.push((action, host));
            let mut entries = self.offer_entries(seat, &board, offer);
            entries.push((Text::new_static("label"), self.offer_label(&board, offer)));
            entries.extend(self.about_offer(seat, &mut board, offer));
            available.push(Datum::Map(entries));
        }
        let mut unavailable = Vec::with_capacity(closed.len());
        for closed in closed {
            // One of two traits with the same action may still offer it.
            let is_open = open.contains(&(Word::from(closed.action.0), closed.host));
            if !is_open && self.sees_host(seat, closed.host) {
                unavailable.push(self.closed_entries(seat, &board, &closed));
            }
        }
        let is_asked =
            game.pending().any(|asked| asked.seat() == seat && asked.choice().kind == InputKind::Action);
        Ok(all_actions(is_asked, available, unavailable))
    }

    fn sees_host(&mut self, seat: Seat, host: Word) -> bool {
        host == NULL || self.sees(Viewer::Seat(seat), host)
    }

    fn offer_entries(&mut self, seat: Seat, board: &Board, offer: Word) -> Entries {
        let place = self.place(Viewer::Seat(seat));
        let Some(ty) = self.offer_type() else { return Vec::new() };
        let eyes = &mut self.memory.eyes[place];
        match describe_with(&self.program, board, offer, ty, &mut |entity| eyes.name(entity)) {
            Datum::Map(entries) => entries,
            _ => Vec::new(),
        }
    }

    fn offer_type(&self) -> Option<TypeId> {
        let place = self.program.types.iter().position(|ty| *ty == intermezzo_ruleset::Type::Offer);
        place.map(|place| TypeId(place as u16))
    }

    fn action_of(&self, board: &Board, offer: Word) -> Option<&Action> {
        let action = board.list(offer)?.first()?;
        self.program.actions.get(usize::try_from(*action).ok()?)
    }

    /// What people read of an offer: the action, who has it, what it is aimed at.
    pub(crate) fn offer_label(&self, board: &Board, offer: Word) -> Datum {
        let (Some(action), Some(words)) = (self.action_of(board, offer), board.list(offer)) else {
            return Datum::Null;
        };
        let mut label = match self.text(action.title) {
            Datum::Text(title) => title,
            _ => Text::default(),
        };
        let show = |value: Word, ty: TypeId| {
            let plain = crate::datum::describe(&self.program, board, value, ty);
            match self.label_of(board, value, ty, &plain) {
                Datum::Text(text) => text,
                _ => Text::default(),
            }
        };
        let entity = self.program.types.iter().position(|ty| *ty == intermezzo_ruleset::Type::Entity);
        if let (Some(host), Some(ty)) = (words.get(2).filter(|host| **host != NULL), entity) {
            let host = show(*host, TypeId(ty as u16));
            if !label.to_lowercase().contains(&host.to_lowercase()) {
                label = format_smolstr!("{label} {host}");
            }
        }
        let offered = action.params.iter().filter(|param| param.offered);
        let aims: Vec<Text> =
            offered.zip(&words[OFFER_HEAD..]).map(|(param, value)| show(*value, param.ty)).collect();
        if !aims.is_empty() {
            label = format_smolstr!("{label} → {}", aims.join(", "));
        }
        Datum::Text(label)
    }

    /// What else is known of an offer: its texts and its costs. The board is only used to compute them.
    pub(crate) fn about_offer(&self, seat: Seat, board: &mut Board, offer: Word) -> Entries {
        let words = board.list(offer).map(<[Word]>::to_vec);
        let (Some(action), Some(words)) = (self.action_of(board, offer), words) else {
            return Vec::new();
        };
        let mut entries = vec![(Text::new_static("title"), self.text(action.title))];
        for (name, text) in [("text", action.text), ("hint", action.hint), ("ui", action.ui)] {
            if let Some(text) = text {
                entries.push((name.into(), self.text(text)));
            }
        }
        let player = word::player(seat);
        let context = [words[2], player, player, NULL, words[3]];
        let mut costs = Vec::new();
        for price in &action.prices {
            let mut cost = vec![(Text::new_static("op"), Datum::text(self.program.symbol(price.name)))];
            for (name, routine, ty) in &price.args {
                let heap = board.heap.len();
                let value = self.ask_about(board, *routine, &context, &words[OFFER_HEAD..]);
                let shown = value
                    .map_or(Datum::Null, |value| crate::datum::describe(&self.program, board, value, *ty));
                board.heap.truncate(heap);
                // What is an entity to the rules has another name for each viewer; prices speak of amounts.
                let is_name = matches!(&shown, Datum::Text(text) if text.starts_with('#'));
                if !is_name {
                    cost.push((self.program.symbol(*name).into(), shown));
                }
            }
            costs.push(Datum::Map(cost));
        }
        entries.push((Text::new_static("costs"), Datum::List(costs)));
        entries
    }

    fn ask_about(
        &self,
        board: &mut Board,
        routine: intermezzo_ruleset::RoutineId,
        context: &crate::rules::Context,
        args: &[Word],
    ) -> Option<Word> {
        board.heap.allow(self.program.limits.heap);
        let mut agenda = Agenda::default();
        let mut meter = Meter::full(&self.program);
        let mut core = Core {
            program: &self.program,
            tables: &self.folder.tables,
            board,
            agenda: &mut agenda,
            meter: &mut meter,
        };
        core.evaluate_in(routine, context, args).ok()
    }

    fn closed_entries(&mut self, seat: Seat, board: &Board, closed: &Closed) -> Datum {
        let program = std::sync::Arc::clone(&self.program);
        let action = &program.actions[closed.action.index()];
        let host = match closed.host {
            NULL => Datum::Null,
            host if board.is_player(host) => Datum::Text(format_smolstr!("p{}", host - 1)),
            host => {
                let place = self.place(Viewer::Seat(seat));
                self.memory.eyes[place].name(host)
            }
        };
        let reason = closed.reason.and_then(|reason| action.reasons.get(reason));
        let reason = reason.map_or(Datum::text("A rule of this action fails"), |text| self.text(*text));
        Datum::Map(vec![
            (Text::new_static("action"), Datum::text(program.symbol(action.name))),
            (Text::new_static("title"), self.text(action.title)),
            (Text::new_static("host"), host),
            (Text::new_static("reason"), reason),
        ])
    }

    /// What a seat means by dragging one thing onto another: the answer to its open question.
    ///
    /// `what` and `onto` are the viewer's names, as in views and prompts: entities `#3`, zones `p0.hand`, players `p0`.
    ///
    /// # Errors
    ///
    /// If the seat is not asked what to do, no action is meant by such a drag, or it cannot be taken now.
    pub fn read_drag(
        &mut self,
        game: &Match,
        seat: Seat,
        what: &str,
        onto: &str,
    ) -> Result<(InputId, Answer), Rejection> {
        let asked =
            game.pending().find(|asked| asked.seat() == seat && asked.choice().kind == InputKind::Action);
        let asked = asked.ok_or(Rejection::NotAskedToAct)?;
        for (number, offer) in asked.options().iter().enumerate() {
            if self.is_meant(seat, asked.board, *offer, what, onto) {
                return Ok((asked.id(), Answer::Picks(vec![number as i32])));
            }
        }
        if self.program.actions.iter().all(|action| action.manipulation.is_none()) {
            return Err(Rejection::NoDrags);
        }
        Err(Rejection::DragRefused { reason: self.drag_reason(game, seat, what) })
    }

    /// Why what is dragged cannot be used, as far as its own actions tell.
    fn drag_reason(&mut self, game: &Match, seat: Seat, what: &str) -> Option<String> {
        let actions = self.actions(game, seat).ok()?;
        let Some(Datum::List(closed)) = actions.get("unavailable") else { return None };
        let is_it = |closed: &&Datum| closed.get("host") == Some(&Datum::text(what));
        match closed.iter().find(is_it)?.get("reason") {
            Some(Datum::Text(reason)) => Some(reason.clone().into()),
            _ => None,
        }
    }

    fn is_meant(&mut self, seat: Seat, board: &Board, offer: Word, what: &str, onto: &str) -> bool {
        let Some(action) = self.action_of(board, offer) else { return false };
        let Some(drag) = action.manipulation else { return false };
        let Some(words) = board.list(offer).map(<[Word]>::to_vec) else { return false };
        let from = match drag.what {
            Manipulated::Host => words[2],
            Manipulated::Param(at) => words.get(OFFER_HEAD + usize::from(at)).copied().unwrap_or(NULL),
            Manipulated::Zone(_) => NULL,
        };
        self.is_named(seat, board, from, drag.what, what)
            && match drag.onto {
                Manipulated::Host => self.is_named(seat, board, words[2], drag.onto, onto),
                Manipulated::Param(at) => {
                    let aim = words.get(OFFER_HEAD + usize::from(at)).copied().unwrap_or(NULL);
                    self.is_named(seat, board, aim, drag.onto, onto)
                }
                Manipulated::Zone(_) => self.is_named(seat, board, NULL, drag.onto, onto),
            }
    }

    fn is_named(&mut self, seat: Seat, board: &Board, entity: Word, end: Manipulated, name: &str) -> bool {
        let place = self.place(Viewer::Seat(seat));
        if let Manipulated::Zone(zone) = end {
            let program = std::sync::Arc::clone(&self.program);
            let eyes = &mut self.memory.eyes[place];
            let own = program.symbol(program.zones[zone.index()].name);
            return name == own
                || (0..board.zones.count() as u32).any(|instance| {
                    let is_family = board.zones.head(instance).is_some_and(|head| head.family == zone);
                    is_family
                        && describe_zone(&program, board, Word::from(instance), &mut |entity| {
                            eyes.name(entity)
                        }) == Datum::text(name)
                });
        }
        if board.is_player(entity) {
            return name == format!("p{}", entity - 1);
        }
        entity != NULL && self.memory.eyes[place].name(entity) == Datum::text(name)
    }
}

fn all_actions(is_asked: bool, available: Vec<Datum>, unavailable: Vec<Datum>) -> Datum {
    let entries = [
        ("asked", Datum::Bool(is_asked)),
        ("available", Datum::List(available)),
        ("unavailable", Datum::List(unavailable)),
    ];
    Datum::Map(entries.map(|(name, value)| (Text::new_static(name), value)).into())
}
