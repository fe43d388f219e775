//! What seats write, in their own numbers and names, turned into entries. Nothing is taken here, and nothing changes.

use intermezzo_engine::{Answer, Datum, Input, InputId, Pending, Refusal, Rejection, Viewer, Witness};
use intermezzo_ruleset::{Seat, Type};

use crate::desk::Desk;
use crate::entry::Entry;
use crate::refusal::DeskRefusal;
use crate::running::Run;

/// At most so many ways out are told with a refusal.
const MAX_TOLD: usize = 32;

impl Desk {
    /// The answer of a seat to the question it knows by that number, written with the names it knows.
    ///
    /// # Errors
    ///
    /// If it is not an answer to an open question of that seat.
    pub fn answer(&mut self, seat: Seat, question: u32, answer: &Datum) -> Result<Entry, DeskRefusal> {
        let (input, answer) = self.read(seat, question, answer)?;
        Ok(Entry::Input(Input::Answer { input, seat, answer }))
    }

    /// The same for what a seat would answer if the clock ran out now. Where the question keeps what is good of a draft,
    /// the rest becomes empty slots.
    ///
    /// # Errors
    ///
    /// If it is no draft of an answer to an open question of that seat.
    pub fn draft(&mut self, seat: Seat, question: u32, answer: &Datum) -> Result<Entry, DeskRefusal> {
        let input = self.fold.question(seat, question)?;
        let answer = self.look(seat, |witness, playing| witness.read_draft(playing, seat, input, answer))?;
        Ok(Entry::Input(Input::Draft { input, seat, answer }))
    }

    /// What may follow the beginning of a path that a seat is asked for: `options`, and whether it is `enough`.
    ///
    /// # Errors
    ///
    /// If no path is asked for, what there is so far is no beginning of one, or a rule fails.
    pub fn what_follows(
        &mut self,
        seat: Seat,
        question: u32,
        so_far: &[Datum],
    ) -> Result<Datum, DeskRefusal> {
        let input = self.fold.question(seat, question)?;
        Ok(self.look(seat, |witness, playing| witness.what_follows(playing, seat, input, so_far))?)
    }

    /// What a seat can do now, with costs and targets, and why the rest cannot be done.
    ///
    /// # Errors
    ///
    /// If there is no such seat, or a rule fails.
    pub fn actions(&mut self, seat: Seat) -> Result<Datum, DeskRefusal> {
        self.fold.check_seat(seat)?;
        let actions = self.look(seat, |witness, playing| witness.actions(playing, seat));
        Ok(actions.map_err(Refusal::Faulted)?)
    }

    /// What a seat means by dragging one thing onto another, both by the names it knows.
    ///
    /// # Errors
    ///
    /// If the seat is not asked what to do, no action is meant by such a drag, or it cannot be taken now.
    pub fn drag(&mut self, seat: Seat, what: &str, onto: &str) -> Result<Entry, DeskRefusal> {
        self.fold.check_seat(seat)?;
        let (input, answer) =
            self.look(seat, |witness, playing| witness.read_drag(playing, seat, what, onto))?;
        Ok(Entry::Input(Input::Answer { input, seat, answer }))
    }

    /// The action a seat means by `{type, targets, params}`, among those it is offered.
    ///
    /// `type` is the name of the action, or `pass`. `targets` are by name or in order, `params` by name; `host` (or
    /// `card`) among them is the entity that has the action. What is left out may be anything, if only one offer
    /// fits.
    ///
    /// # Errors
    ///
    /// If the seat is not asked what to do, the action is not offered like that, or several offers fit.
    pub fn submit_action(&mut self, seat: Seat, action: &Datum) -> Result<Entry, DeskRefusal> {
        self.fold.check_seat(seat)?;
        let Some(Datum::Text(name)) = action.get("type") else { return Err(DeskRefusal::NoAction) };
        let (input, may_pass) = self.acting(seat)?;
        if may_pass && name == "pass" {
            return Ok(Entry::Input(Input::Answer { input, seat, answer: Answer::Pass }));
        }
        let offers = self.offers(seat, input);
        let fits: Vec<usize> = (0..offers.len()).filter(|at| is_meant(&offers[*at], action)).collect();
        match fits.split_first() {
            None => Err(self.not_offered(seat, name, action, &offers)),
            Some((first, rest)) if rest.iter().all(|other| offers[*other] == offers[*first]) => {
                let answer = Answer::Picks(vec![*first as i32]);
                Ok(Entry::Input(Input::Answer { input, seat, answer }))
            }
            Some(_) => {
                let fits = fits.iter().take(MAX_TOLD).map(|at| as_sent(&offers[*at])).collect();
                Err(DeskRefusal::MeansSeveral { action: name.clone().into(), fits })
            }
        }
    }

    fn read(&mut self, seat: Seat, question: u32, answer: &Datum) -> Result<(InputId, Answer), DeskRefusal> {
        let input = self.fold.question(seat, question)?;
        let answer = self.look(seat, |witness, playing| witness.read_answer(playing, seat, input, answer))?;
        Ok((input, answer))
    }

    /// Asks the witness something that leaves no trace.
    fn look<T>(&mut self, seat: Seat, look: impl FnOnce(&mut Witness, &intermezzo_engine::Match) -> T) -> T {
        let (witness, playing) = self.fold.run.witness();
        witness.in_passing(Viewer::Seat(seat), |witness| look(witness, playing))
    }

    /// The question that asks a seat what to do, and whether it may pass.
    fn acting(&self, seat: Seat) -> Result<(InputId, bool), DeskRefusal> {
        let playing = self.playing();
        if playing.is_over() {
            return Err(Rejection::MatchOver.into());
        }
        let offers =
            |pending: &Pending<'_>| playing.program().types[pending.choice().item.index()] == Type::Offer;
        let asked = playing.pending().find(|pending| pending.seat() == seat && offers(pending));
        let asked = asked.ok_or(Rejection::NotAskedToAct)?;
        Ok((asked.id(), asked.choice().pass))
    }

    /// What the question offers, as its seat sees it.
    fn offers(&self, seat: Seat, input: InputId) -> Vec<Datum> {
        let viewer = Viewer::Seat(seat);
        let number = self.fold.run.memory().number_of(viewer, input).map(|number| Datum::Int(number.into()));
        let Some(Datum::List(prompts)) = self.prompts(viewer).get("prompts") else { return Vec::new() };
        let prompt = prompts.iter().find(|prompt| prompt.get("inputId") == number.as_ref());
        let Some(Datum::List(options)) = prompt.and_then(|prompt| prompt.get("options")) else {
            return Vec::new();
        };
        options.iter().map(|option| option.get("value").cloned().unwrap_or(Datum::Null)).collect()
    }

    fn not_offered(&mut self, seat: Seat, name: &str, action: &Datum, offers: &[Datum]) -> DeskRefusal {
        let actions = self.actions(seat).unwrap_or(Datum::Null);
        let params = action.get("params");
        let host = params.and_then(|params| params.get("host").or_else(|| params.get("card")));
        let mut reasons = Vec::new();
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
        let legal = legal.into_iter().take(MAX_TOLD).map(as_sent).collect();
        DeskRefusal::NotOffered { action: name.to_owned(), reasons, legal }
    }
}

fn is_named(offer: &Datum, name: &str) -> bool {
    matches!(offer.get("action"), Some(Datum::Text(action)) if action == name)
}

/// Whether an offer is what is sent, as far as that says.
fn is_meant(offer: &Datum, sent: &Datum) -> bool {
    let is_it = matches!(sent.get("type"), Some(Datum::Text(name)) if is_named(offer, name));
    is_it && has_all(offer, sent.get("targets")) && has_all(offer, sent.get("params"))
}

/// Whether an offer has all these values: by name, or its targets in order.
fn has_all(offer: &Datum, values: Option<&Datum>) -> bool {
    let targets = offer.get("targets");
    let named = |name: &str| {
        let target = targets.and_then(|targets| targets.get(name));
        let is_host = matches!(name, "host" | "card");
        target.or_else(|| offer.get("host").filter(|_| is_host))
    };
    match values {
        None | Some(Datum::Null) => true,
        Some(Datum::Map(entries)) => entries.iter().all(|(name, value)| named(name) == Some(value)),
        Some(Datum::List(items)) => begins_with(targets, items),
        Some(one) => begins_with(targets, std::slice::from_ref(one)),
    }
}

fn begins_with(targets: Option<&Datum>, items: &[Datum]) -> bool {
    let Some(Datum::Map(targets)) = targets else { return items.is_empty() };
    items.len() <= targets.len() && targets.iter().zip(items).all(|(target, item)| target.1 == *item)
}

/// An offer as a seat would send it.
fn as_sent(offer: &Datum) -> Datum {
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
