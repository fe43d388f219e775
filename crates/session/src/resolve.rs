//! Resolves requests of seats, with their own numbers and names, into entries. Nothing changes here.

use intermezzo_engine::{
    Answer, Datum, Input, InputId, Observer, PendingQuestion, Refusal, Rejection, Viewer,
};
use intermezzo_program::{Seat, Type};

use crate::entry::SessionEntry;
use crate::refusal::SessionRefusal;
use crate::runner::MatchRunner;
use crate::session::Session;

/// Maximum number of alternatives listed in a rejection.
const MAX_ALTERNATIVES: usize = 32;

impl Session {
    /// Resolves a seat's answer to the question with this number, written with the names the seat knows.
    ///
    /// # Errors
    ///
    /// If it is not an answer to an open question of that seat.
    pub fn resolve_answer(
        &mut self,
        seat: Seat,
        question: u32,
        answer: &Datum,
    ) -> Result<SessionEntry, SessionRefusal> {
        let (input, answer) = self.read_answer(seat, question, answer)?;
        Ok(SessionEntry::Input(Input::Answer { input, seat, answer }))
    }

    /// Resolves a draft: the answer that counts if the seat's time runs out. If the question keeps the valid
    /// part of a draft, the rest becomes empty slots.
    ///
    /// # Errors
    ///
    /// If it is not a draft of an answer to an open question of that seat.
    pub fn resolve_draft(
        &mut self,
        seat: Seat,
        question: u32,
        answer: &Datum,
    ) -> Result<SessionEntry, SessionRefusal> {
        let input = self.fold.open_question(seat, question)?;
        let answer = self.peek(seat, |observer, game| observer.read_draft(game, seat, input, answer))?;
        Ok(SessionEntry::Input(Input::Draft { input, seat, answer }))
    }

    /// Returns the possible continuations of a partial path: `options`, and whether the path is already
    /// `enough`.
    ///
    /// # Errors
    ///
    /// If the question does not ask for a path, `so_far` is not a valid prefix, or a rule fails.
    pub fn next_path_options(
        &mut self,
        seat: Seat,
        question: u32,
        so_far: &[Datum],
    ) -> Result<Datum, SessionRefusal> {
        let input = self.fold.open_question(seat, question)?;
        Ok(self.peek(seat, |observer, game| observer.next_path_options(game, seat, input, so_far))?)
    }

    /// Returns the actions of a seat with costs and targets, and the reasons why others are unavailable.
    ///
    /// # Errors
    ///
    /// If the seat does not exist, or a rule fails.
    pub fn actions(&mut self, seat: Seat) -> Result<Datum, SessionRefusal> {
        self.fold.check_seat(seat)?;
        let actions = self.peek(seat, |observer, game| observer.actions(game, seat));
        Ok(actions.map_err(Refusal::Faulted)?)
    }

    /// Resolves the drag of one entity onto another, both by the names the seat knows.
    ///
    /// # Errors
    ///
    /// If the seat is not asked to act, no action matches the drag, or the action is not available now.
    pub fn resolve_drag(
        &mut self,
        seat: Seat,
        what: &str,
        onto: &str,
    ) -> Result<SessionEntry, SessionRefusal> {
        self.fold.check_seat(seat)?;
        let (input, answer) = self.peek(seat, |observer, game| observer.read_drag(game, seat, what, onto))?;
        Ok(SessionEntry::Input(Input::Answer { input, seat, answer }))
    }

    /// Resolves `{type, targets, params}` into one of the actions offered to the seat.
    ///
    /// `type` is the name of the action, or `pass`. `targets` are given by name or in order, `params` by name;
    /// the param `host` (or `card`) is the entity that has the action. Omitted parts match anything, as long as
    /// only one offer fits.
    ///
    /// # Errors
    ///
    /// If the seat is not asked to act, the action is not offered like that, or several offers fit.
    pub fn resolve_action(&mut self, seat: Seat, action: &Datum) -> Result<SessionEntry, SessionRefusal> {
        self.fold.check_seat(seat)?;
        let Some(Datum::Text(name)) = action.get("type") else {
            return Err(SessionRefusal::MissingActionType);
        };
        let (input, may_pass) = self.action_question(seat)?;
        if may_pass && name == "pass" {
            return Ok(SessionEntry::Input(Input::Answer { input, seat, answer: Answer::Pass }));
        }
        let (offers, labels) = self.offers(seat, input);
        // Of several copies of a card, the first is meant.
        let is_same = |one: usize, other: usize| {
            labels[one] == labels[other] && offers[one].get("targets") == offers[other].get("targets")
        };
        let fits: Vec<usize> = (0..offers.len()).filter(|at| matches_action(&offers[*at], action)).collect();
        match fits.split_first() {
            None => Err(self.not_offered(seat, name, action, &offers)),
            Some((first, rest)) if rest.iter().all(|other| is_same(*first, *other)) => {
                let answer = Answer::Picks(vec![*first as i32]);
                Ok(SessionEntry::Input(Input::Answer { input, seat, answer }))
            }
            Some(_) => {
                let fits = fits.iter().take(MAX_ALTERNATIVES).map(|at| to_request(&offers[*at])).collect();
                Err(SessionRefusal::AmbiguousAction { action: name.clone().into(), fits })
            }
        }
    }

    fn read_answer(
        &mut self,
        seat: Seat,
        question: u32,
        answer: &Datum,
    ) -> Result<(InputId, Answer), SessionRefusal> {
        let input = self.fold.open_question(seat, question)?;
        let answer = self.peek(seat, |observer, game| observer.read_answer(game, seat, input, answer))?;
        Ok((input, answer))
    }

    /// Queries the observer without leaving a trace.
    fn peek<T>(
        &mut self,
        seat: Seat,
        query: impl FnOnce(&mut Observer, &intermezzo_engine::Match) -> T,
    ) -> T {
        let (observer, game) = self.fold.runner.observer();
        observer.without_naming(Viewer::Seat(seat), |observer| query(observer, game))
    }

    /// Returns the question that asks a seat to act, and whether it may pass.
    fn action_question(&self, seat: Seat) -> Result<(InputId, bool), SessionRefusal> {
        let game = self.game();
        if game.is_over() {
            return Err(Rejection::MatchOver.into());
        }
        let offers = |pending: &PendingQuestion<'_>| {
            game.program().types[pending.choice().item.index()] == Type::Offer
        };
        let asked = game.pending().find(|pending| pending.seat() == seat && offers(pending));
        let asked = asked.ok_or(Rejection::NotAskedToAct)?;
        Ok((asked.id(), asked.choice().pass))
    }

    /// Returns the offers of a question and their labels, as its seat sees them.
    fn offers(&self, seat: Seat, input: InputId) -> (Vec<Datum>, Vec<Datum>) {
        let viewer = Viewer::Seat(seat);
        let number =
            self.fold.runner.viewer_names().number_of(viewer, input).map(|number| Datum::Int(number.into()));
        let Some(Datum::List(prompts)) = self.prompts(viewer).get("prompts") else {
            return Default::default();
        };
        let prompt = prompts.iter().find(|prompt| prompt.get("inputId") == number.as_ref());
        let Some(Datum::List(options)) = prompt.and_then(|prompt| prompt.get("options")) else {
            return Default::default();
        };
        let part = |option: &Datum, key: &str| option.get(key).cloned().unwrap_or(Datum::Null);
        options.iter().map(|option| (part(option, "value"), part(option, "label"))).unzip()
    }

    fn not_offered(&mut self, seat: Seat, name: &str, action: &Datum, offers: &[Datum]) -> SessionRefusal {
        let actions = self.actions(seat).unwrap_or(Datum::Null);
        let params = action.get("params");
        let host = params.and_then(|params| params.get("host").or_else(|| params.get("card")));
        let mut reasons = Vec::new();
        let program = self.game().program();
        if program.actions.iter().all(|action| program.symbol(action.name) != name) {
            reasons.push(format!("this game has no action `{name}`"));
        }
        if let Some(Datum::List(closed)) = actions.get("unavailable") {
            for closed in closed.iter().filter(|closed| is_named(closed, name)) {
                let is_its = host.is_none_or(|host| closed.get("host") == Some(host));
                if let (true, Some(Datum::Text(reason))) = (is_its, closed.get("reason"))
                    && !reasons.iter().any(|known| known == reason)
                {
                    reasons.push(reason.to_string());
                }
            }
        }
        let same: Vec<&Datum> = offers.iter().filter(|offer| is_named(offer, name)).collect();
        let legal = if same.is_empty() { offers.iter().collect() } else { same };
        let legal = legal.into_iter().take(MAX_ALTERNATIVES).map(to_request).collect();
        SessionRefusal::NotOffered { action: name.to_owned(), reasons, legal }
    }
}

fn is_named(offer: &Datum, name: &str) -> bool {
    matches!(offer.get("action"), Some(Datum::Text(action)) if action == name)
}

/// Returns whether an offer matches everything the request specifies.
fn matches_action(offer: &Datum, sent: &Datum) -> bool {
    let is_it = matches!(sent.get("type"), Some(Datum::Text(name)) if is_named(offer, name));
    is_it && has_values(offer, sent.get("targets")) && has_values(offer, sent.get("params"))
}

/// Returns whether an offer has all these values: by name, or its targets in order.
fn has_values(offer: &Datum, values: Option<&Datum>) -> bool {
    let targets = offer.get("targets");
    let named = |name: &str| {
        let target = targets.and_then(|targets| {
            // The rules may call a target `abilityId`; on the wire that is the id of the target `ability`.
            targets.get(name).or_else(|| targets.get(&format!("{name}Id")))
        });
        let is_host = matches!(name, "host" | "card");
        target.or_else(|| offer.get("host").filter(|_| is_host))
    };
    match values {
        None | Some(Datum::Null) => true,
        Some(Datum::Map(entries)) => entries.iter().all(|(name, value)| named(name) == Some(value)),
        Some(Datum::List(items)) => targets_start_with(targets, items),
        Some(one) => targets_start_with(targets, std::slice::from_ref(one)),
    }
}

fn targets_start_with(targets: Option<&Datum>, items: &[Datum]) -> bool {
    let Some(Datum::Map(targets)) = targets else { return items.is_empty() };
    items.len() <= targets.len() && targets.iter().zip(items).all(|(target, item)| target.1 == *item)
}

/// Converts an offer to the request that selects it.
fn to_request(offer: &Datum) -> Datum {
    let part = |name: &str| offer.get(name).cloned().unwrap_or(Datum::Null);
    let params = match part("host") {
        Datum::Null => Vec::new(),
        host => vec![("host".into(), host)],
    };
    Datum::Map(vec![
        ("type".into(), part("action")),
        ("targets".into(), part("targets")),
        ("params".into(), Datum::Map(params)),
    ])
}
