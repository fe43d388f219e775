//! Queries about actions: what a seat can do now, the costs, and why the rest is unavailable; and drags that
//! stand for an action.

use intermezzo_program::{Action, ActionTiming, InputKind, ManipulationEnd, NULL, Seat, TypeId, Word, word};

use smol_str::format_smolstr;

use crate::ask::input::{Answer, InputId, Rejection, RuleFault};
use crate::ask::offers::{OFFER_HEAD, UnavailableAction};
use crate::run::evaluator::Evaluator;
use crate::run::frames::{FrameStack, Meter};
use crate::run::match_instance::Match;
use crate::storage::board::Board;
use crate::values::datum::{Datum, ShortText, describe_with, describe_zone};
use crate::view::observer::{Observer, Viewer};

type Entries = Vec<(ShortText, Datum)>;

impl Match {
    /// Evaluates rules without changing the match; returns the result and the board that holds its values.
    pub(crate) fn evaluate_rules<T>(
        &self,
        ask: impl FnOnce(&mut Evaluator<'_>) -> Result<T, intermezzo_program::FaultCode>,
    ) -> Result<(T, Board), RuleFault> {
        let (answer, board, _) = self.compute(false, ask)?;
        Ok((answer, board))
    }

    /// Counts the different actions a seat could take now, whether or not it is asked. Zero once the match is
    /// over.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn offer_count(&self, seat: Seat) -> Result<usize, RuleFault> {
        if self.is_over() {
            return Ok(0);
        }
        let (offers, board) = self.evaluate_rules(|core| core.lenient_offers(word::player(seat)))?;
        Ok(board.list(offers).map_or(0, <[Word]>::len))
    }
}

impl Observer {
    /// Describes what a seat can do now, with costs and targets, and why the rest is unavailable. Lists only
    /// what the seat sees: the reasons of a hidden entity would reveal what it is.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn actions(&mut self, game: &Match, seat: Seat) -> Result<Datum, RuleFault> {
        let player = word::player(seat);
        if game.is_over() {
            return Ok(actions_datum(false, Vec::new(), Vec::new()));
        }
        let (offers, mut board) = game.evaluate_rules(|core| core.lenient_offers(player))?;
        let (closed, _) = game.evaluate_rules(|core| core.unavailable_actions(player))?;
        let offers = board.list(offers).unwrap_or(&[]).to_vec();
        self.conceal(seat, &board, &[]);
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
            entries.push((ShortText::new_static("label"), self.offer_label(&board, offer)));
            entries.extend(self.offer_details(seat, &mut board, offer));
            entries.extend(self.offer_summary(&board, offer, &entries));
            available.push(Datum::Map(entries));
        }
        let mut unavailable = Vec::with_capacity(closed.len());
        for closed in closed {
            // If two traits have the same action, the other may still offer it.
            let is_open = open.contains(&(Word::from(closed.action.0), closed.host));
            if !is_open && self.sees_host(seat, closed.host) {
                unavailable.push(self.unavailable_entries(seat, &board, &closed));
            }
        }
        let is_asked =
            game.pending().any(|asked| asked.seat() == seat && asked.choice().kind == InputKind::Action);
        Ok(actions_datum(is_asked, available, unavailable))
    }

    fn sees_host(&mut self, seat: Seat, host: Word) -> bool {
        host == NULL || self.sees(Viewer::Seat(seat), host)
    }

    fn offer_entries(&mut self, seat: Seat, board: &Board, offer: Word) -> Entries {
        let place = self.viewer_index(Viewer::Seat(seat));
        let Some(ty) = self.offer_type() else { return Vec::new() };
        let numbering = &mut self.viewer_names.viewers[place];
        match describe_with(&self.program, board, offer, ty, &mut |entity| numbering.name(entity)) {
            Datum::Map(entries) => entries,
            _ => Vec::new(),
        }
    }

    fn offer_type(&self) -> Option<TypeId> {
        let place = self.program.types.iter().position(|ty| *ty == intermezzo_program::Type::Offer);
        place.map(|place| TypeId(place as u16))
    }

    fn action_of(&self, board: &Board, offer: Word) -> Option<&Action> {
        let action = board.list(offer)?.first()?;
        self.program.actions.get(usize::try_from(*action).ok()?)
    }

    /// Returns the label of an offer: the action, its host, its targets.
    pub(crate) fn offer_label(&self, board: &Board, offer: Word) -> Datum {
        let (Some(action), Some(words)) = (self.action_of(board, offer), board.list(offer)) else {
            return Datum::Null;
        };
        let mut label = match self.text(action.title) {
            Datum::Text(title) => title,
            _ => ShortText::default(),
        };
        let show = |value: Word, ty: TypeId| {
            let plain = crate::values::datum::describe(&self.program, board, value, ty);
            match self.label_of(board, value, ty, &plain) {
                Datum::Text(text) => text,
                _ => ShortText::default(),
            }
        };
        let entity = self.program.types.iter().position(|ty| *ty == intermezzo_program::Type::Entity);
        if let (Some(host), Some(ty)) = (words.get(2).filter(|host| **host != NULL), entity) {
            let host = show(*host, TypeId(ty as u16));
            if !label.to_lowercase().contains(&host.to_lowercase()) {
                label = format_smolstr!("{label} {host}");
            }
        }
        let offered = action.params.iter().filter(|param| param.offered);
        let aims: Vec<ShortText> =
            offered.zip(&words[OFFER_HEAD..]).map(|(param, value)| show(*value, param.ty)).collect();
        if !aims.is_empty() {
            label = format_smolstr!("{label} → {}", aims.join(", "));
        }
        Datum::Text(label)
    }

    /// Returns the texts and costs of an offer. The board serves only as scratch space.
    pub(crate) fn offer_details(&self, seat: Seat, board: &mut Board, offer: Word) -> Entries {
        let words = board.list(offer).map(<[Word]>::to_vec);
        let (Some(action), Some(words)) = (self.action_of(board, offer), words) else {
            return Vec::new();
        };
        let mut entries = vec![(ShortText::new_static("title"), self.text(action.title))];
        for (name, text) in [("text", action.text), ("hint", action.hint), ("ui", action.ui)] {
            if let Some(text) = text {
                entries.push((name.into(), self.text(text)));
            }
        }
        let player = word::player(seat);
        let context = [words[2], player, player, NULL, words[3]];
        let mut costs = Vec::new();
        for price in &action.prices {
            let mut cost = vec![(ShortText::new_static("op"), Datum::text(self.program.symbol(price.name)))];
            for (name, routine, ty) in &price.args {
                let heap = board.heap.len();
                let value = self.evaluate_on(board, *routine, &context, &words[OFFER_HEAD..]);
                let shown = value.map_or(Datum::Null, |value| {
                    crate::values::datum::describe(&self.program, board, value, *ty)
                });
                board.heap.truncate(heap);
                // Entities have another name for each viewer, so they are left out; prices consist of
                // amounts.
                let is_name = matches!(&shown, Datum::Text(text) if text.starts_with('#'));
                if !is_name {
                    cost.push((self.program.symbol(*name).into(), shown));
                }
            }
            costs.push(Datum::Map(cost));
        }
        entries.push((ShortText::new_static("costs"), Datum::List(costs)));
        entries
    }

    /// Returns what a client needs to show an action: its id, name, description, cost and timing as texts.
    fn offer_summary(&self, board: &Board, offer: Word, entries: &Entries) -> Entries {
        let Some(action) = self.action_of(board, offer) else { return Vec::new() };
        let text = action.text.or(action.hint).map_or(Datum::text(""), |text| self.text(text));
        let costs = entries.iter().find(|(name, _)| name == "costs").map(|(_, costs)| costs);
        let timing = if action.timing == ActionTiming::Instant { "instant" } else { "stack" };
        let summary = [
            ("id", Datum::text(self.program.symbol(action.name))),
            ("name", self.text(action.title)),
            ("description", text),
            ("cost", Datum::text(cost_text(costs))),
            ("timing", Datum::text(timing)),
        ];
        summary.map(|(name, value)| (ShortText::new_static(name), value)).into()
    }

    fn evaluate_on(
        &self,
        board: &mut Board,
        routine: intermezzo_program::RoutineId,
        context: &crate::react::modifiers::RuleContext,
        args: &[Word],
    ) -> Option<Word> {
        board.heap.allow(self.program.limits.heap);
        let mut frames = FrameStack::default();
        let mut meter = Meter::for_reading(&self.program, board);
        let mut core = Evaluator {
            program: &self.program,
            tables: &self.folder.tables,
            board,
            frames: &mut frames,
            meter: &mut meter,
        };
        core.evaluate_in(routine, context, args).ok()
    }

    fn unavailable_entries(&mut self, seat: Seat, board: &Board, closed: &UnavailableAction) -> Datum {
        let program = std::sync::Arc::clone(&self.program);
        let action = &program.actions[closed.action.index()];
        let host = match closed.host {
            NULL => Datum::Null,
            host if board.is_player(host) => Datum::Text(format_smolstr!("p{}", host - 1)),
            host => {
                let place = self.viewer_index(Viewer::Seat(seat));
                self.viewer_names.viewers[place].name(host)
            }
        };
        let reason = closed.reason.and_then(|reason| action.reasons.get(reason));
        let reason = reason.map_or(Datum::text("A rule of this action failed"), |text| self.text(*text));
        Datum::Map(vec![
            (ShortText::new_static("action"), Datum::text(program.symbol(action.name))),
            (ShortText::new_static("title"), self.text(action.title)),
            (ShortText::new_static("host"), host),
            (ShortText::new_static("reason"), reason),
        ])
    }

    /// Reads a drag of one thing onto another as the answer to the seat's open question.
    ///
    /// `what` and `onto` are the viewer's names, as in views and prompts: entities `#3`, zones `p0.pool`,
    /// players `p0`.
    ///
    /// # Errors
    ///
    /// If the seat is not asked to act, the drag stands for no action, or the action cannot be taken now.
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
            if self.is_meant_by_drag(seat, asked.board, *offer, what, onto) {
                return Ok((asked.id(), Answer::Picks(vec![number as i32])));
            }
        }
        if self.program.actions.iter().all(|action| action.manipulation.is_none()) {
            return Err(Rejection::NoDrags);
        }
        Err(Rejection::DragRefused { reason: self.drag_reason(game, seat, what) })
    }

    /// Returns why the dragged entity cannot be used, as far as its own actions tell.
    fn drag_reason(&mut self, game: &Match, seat: Seat, what: &str) -> Option<String> {
        let actions = self.actions(game, seat).ok()?;
        let Some(Datum::List(closed)) = actions.get("unavailable") else { return None };
        let is_it = |closed: &&Datum| closed.get("host") == Some(&Datum::text(what));
        match closed.iter().find(is_it)?.get("reason") {
            Some(Datum::Text(reason)) => Some(reason.clone().into()),
            _ => None,
        }
    }

    fn is_meant_by_drag(&mut self, seat: Seat, board: &Board, offer: Word, what: &str, onto: &str) -> bool {
        let Some(action) = self.action_of(board, offer) else { return false };
        let Some(drag) = action.manipulation else { return false };
        let Some(words) = board.list(offer).map(<[Word]>::to_vec) else { return false };
        let from = match drag.what {
            ManipulationEnd::Host => words[2],
            ManipulationEnd::Param(at) => words.get(OFFER_HEAD + usize::from(at)).copied().unwrap_or(NULL),
            ManipulationEnd::Zone(_) => NULL,
        };
        self.has_viewer_name(seat, board, from, drag.what, what)
            && match drag.onto {
                ManipulationEnd::Host => self.has_viewer_name(seat, board, words[2], drag.onto, onto),
                ManipulationEnd::Param(at) => {
                    let aim = words.get(OFFER_HEAD + usize::from(at)).copied().unwrap_or(NULL);
                    self.has_viewer_name(seat, board, aim, drag.onto, onto)
                }
                ManipulationEnd::Zone(_) => self.has_viewer_name(seat, board, NULL, drag.onto, onto),
            }
    }

    fn has_viewer_name(
        &mut self,
        seat: Seat,
        board: &Board,
        entity: Word,
        end: ManipulationEnd,
        name: &str,
    ) -> bool {
        let place = self.viewer_index(Viewer::Seat(seat));
        if let ManipulationEnd::Zone(zone) = end {
            let program = std::sync::Arc::clone(&self.program);
            let numbering = &mut self.viewer_names.viewers[place];
            let own = program.symbol(program.zones[zone.index()].name);
            return name == own
                || (0..board.zones.count() as u32).any(|instance| {
                    let is_family = board.zones.head(instance).is_some_and(|head| head.family == zone);
                    is_family
                        && describe_zone(&program, board, Word::from(instance), &mut |entity| {
                            numbering.name(entity)
                        }) == Datum::text(name)
                });
        }
        if board.is_player(entity) {
            return name == format!("p{}", entity - 1);
        }
        entity != NULL && self.viewer_names.viewers[place].name(entity) == Datum::text(name)
    }
}

/// Writes costs for people: `3 mana, discard 1`.
fn cost_text(costs: Option<&Datum>) -> String {
    let Some(Datum::List(costs)) = costs else { return String::new() };
    let one = |cost: &Datum| {
        let (Datum::Map(entries), Some(Datum::Text(op))) = (cost, cost.get("op")) else { return None };
        if let (Some(resource), Some(amount)) = (cost.get("resource"), cost.get("amount")) {
            return (*amount != Datum::Int(0)).then(|| format!("{amount} {resource}"));
        }
        let numbers = entries.iter().filter(|(_, value)| matches!(value, Datum::Int(_)));
        let numbers: String = numbers.map(|(_, number)| format!(" {number}")).collect();
        Some(format!("{}{numbers}", op.replace('_', " ")))
    };
    costs.iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

fn actions_datum(is_asked: bool, available: Vec<Datum>, unavailable: Vec<Datum>) -> Datum {
    let entries = [
        ("asked", Datum::Bool(is_asked)),
        ("available", Datum::List(available)),
        ("unavailable", Datum::List(unavailable)),
    ];
    Datum::Map(entries.map(|(name, value)| (ShortText::new_static(name), value)).into())
}
