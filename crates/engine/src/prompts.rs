//! Questions as a viewer sees them, and answers as a viewer writes them.

use intermezzo_ruleset::{DraftPolicy, Inner, KindId, Seat, Shape, TextId, Type, TypeId, Visibility, Word};

use smol_str::format_smolstr;

use crate::board::{Board, NO_DEF};
use crate::datum::{Datum, Text, describe_with};
use crate::input::{Answer, Fault, InputId, Refusal, Rejection};
use crate::paths::Walk;
use crate::play::Match;
use crate::request::Pending;
use crate::witness::{Viewer, Witness};

impl Witness {
    /// The questions a viewer is asked, and who else is asked something that is no secret. Whether a seat passes by
    /// itself it alone is told.
    pub fn prompts(&mut self, game: &Match, viewer: Viewer) -> Datum {
        let mut asked = Vec::new();
        let mut others = Vec::new();
        for pending in game.pending() {
            if viewer == Viewer::Seat(pending.seat()) {
                asked.push(self.prompt(&pending));
            } else if !pending.choice().secret {
                let kind = Datum::text(pending.choice().kind.name());
                let seat = Datum::Int(i64::from(pending.seat().0));
                others.push(Datum::Map(vec![
                    (Text::new_static("seat"), seat),
                    (Text::new_static("kind"), kind),
                ]));
            }
        }
        let auto = match viewer {
            Viewer::Seat(seat) => game.passes_by_itself(seat),
            Viewer::Spectator => None,
        };
        let mut entries = vec![("prompts", Datum::List(asked)), ("others", Datum::List(others))];
        if let Some((until, stops)) = auto {
            let auto = [("until", Datum::text(until.name())), ("stops", Datum::Bool(stops))];
            let auto = auto.map(|(name, value)| (Text::new_static(name), value));
            entries.push(("auto", Datum::Map(auto.into())));
        }
        Datum::Map(entries.into_iter().map(|(name, value)| (Text::new_static(name), value)).collect())
    }

    /// The viewer's own number of a question: ids would tell how many others were asked.
    fn question(&mut self, seat: Seat, id: InputId) -> u32 {
        let place = self.place(Viewer::Seat(seat));
        self.memory.eyes[place].question(id)
    }

    fn prompt(&mut self, pending: &Pending<'_>) -> Datum {
        let choice = pending.choice();
        let number = self.question(pending.seat(), pending.id());
        let (min, max) = pending.bounds();
        let optional = |value: Option<i64>| value.map_or(Datum::Null, Datum::Int);
        let draft = pending.draft().map_or(Datum::Null, |value| self.option(pending, value, choice.value));
        let default =
            pending.default_value().map_or(Datum::Null, |value| self.option(pending, value, choice.value));
        let title = self.text(choice.title);
        let branches = self.branches(pending, None);
        let entries = [
            ("inputId", Datum::Int(i64::from(number))),
            ("actor", Datum::Text(format_smolstr!("p{}", pending.seat().0))),
            ("name", Datum::text(&choice.name)),
            ("kind", Datum::text(choice.kind.name())),
            ("title", title),
            ("options", self.options_shown(pending, pending.options())),
            ("branches", branches),
            ("min", Datum::Int(i64::from(min))),
            ("max", Datum::Int(i64::from(max))),
            ("slots", optional(pending.slots().map(i64::from))),
            ("pass", Datum::Bool(choice.pass)),
            ("drafts", Datum::Bool(choice.draft.is_some())),
            ("draft", draft),
            ("deadlineMs", optional(pending.deadline_ms())),
            ("default", default),
        ];
        let mut entries: Vec<(Text, Datum)> =
            entries.map(|(name, value)| (Text::new_static(name), value)).into();
        if choice.shape == Shape::Path {
            entries.push((Text::new_static("path"), Datum::Bool(true)));
        }
        if let Some(about) = self.about(pending) {
            entries.push((Text::new_static("about"), about));
        }
        if let Some(lesson) = self.lesson(pending) {
            entries.push((Text::new_static("lesson"), lesson));
        }
        Datum::Map(entries)
    }

    pub(crate) fn text(&self, text: TextId) -> Datum {
        self.program.texts.get(text.index()).map_or(Datum::Null, Datum::text)
    }

    /// The branches of that parent that can be taken, with their own inside.
    fn branches(&mut self, pending: &Pending<'_>, parent: Option<u16>) -> Datum {
        let mut shown = Vec::new();
        for index in pending.choice().branches_of(parent) {
            let Some(offer) = pending.branch(index).filter(|offer| offer.available) else {
                continue;
            };
            let branch = &pending.choice().branches[index];
            let entries = [
                ("id", Datum::text(self.program.symbol(branch.id))),
                ("title", self.text(branch.title)),
                ("exclusive", Datum::Bool(branch.exclusive)),
                ("options", self.options_shown(pending, offer.options)),
                ("min", Datum::Int(i64::from(offer.min))),
                ("max", Datum::Int(i64::from(offer.max))),
            ];
            let mut entries: Vec<(Text, Datum)> =
                entries.map(|(name, value)| (Text::new_static(name), value)).into();
            if branch.inner == Inner::Branches {
                entries.push((Text::new_static("branches"), self.branches(pending, Some(index as u16))));
            }
            shown.push(Datum::Map(entries));
        }
        Datum::List(shown)
    }

    fn options_shown(&mut self, pending: &Pending<'_>, options: &[Word]) -> Datum {
        self.options_on(pending, pending.board, options)
    }

    /// Options whose values are on that board.
    fn options_on(&mut self, pending: &Pending<'_>, board: &Board, options: &[Word]) -> Datum {
        let are_offers = self.program.types[pending.choice().item.index()] == Type::Offer;
        // What offers cost is computed on a copy.
        let mut copy = are_offers.then(|| board.clone());
        let mut shown = Vec::with_capacity(options.len());
        for (index, option) in options.iter().enumerate() {
            let value = self.option_on(pending, board, *option, pending.choice().item);
            let label = self.label_of(board, *option, pending.choice().item, &value);
            let entries = [("n", Datum::Int(index as i64)), ("value", value), ("label", label)];
            let mut entries: Vec<(Text, Datum)> =
                entries.map(|(name, value)| (Text::new_static(name), value)).into();
            if let Some(copy) = &mut copy {
                entries.extend(self.about_offer(pending.seat(), copy, *option));
            }
            shown.push(Datum::Map(entries));
        }
        Datum::List(shown)
    }

    /// An option as data. Whoever may pick an entity may name it.
    fn option(&mut self, pending: &Pending<'_>, value: Word, ty: TypeId) -> Datum {
        self.option_on(pending, pending.board, value, ty)
    }

    fn option_on(&mut self, pending: &Pending<'_>, board: &Board, value: Word, ty: TypeId) -> Datum {
        let place = self.place(Viewer::Seat(pending.seat()));
        let eyes = &mut self.memory.eyes[place];
        describe_with(pending.program(), board, value, ty, &mut |entity| eyes.name(entity))
    }

    /// What people read: the property that names entities, the title of a def, a name itself.
    pub(crate) fn label_of(&self, board: &Board, option: Word, ty: TypeId, value: &Datum) -> Datum {
        let entity = match self.program.types[ty.index()] {
            Type::Entity | Type::Kind(_) => board.entity(option),
            Type::Offer => return self.offer_label(board, option),
            _ => None,
        };
        let named = entity.zip(self.program.label).and_then(|(entity, label)| {
            let prop = &self.program.props[self.program.prop_of(entity.kind, label)?.index()];
            let is_open = prop.derived.is_none() && matches!(prop.visible, Visibility::All);
            let value = board.column(option, prop.column).filter(|_| is_open)?;
            Some(crate::datum::describe(&self.program, board, value, prop.ty))
        });
        if let Some(label @ Datum::Text(_)) = named {
            return label;
        }
        let def = entity.filter(|entity| entity.kind.0 > KindId::PLAYER.0 && entity.def != NO_DEF);
        match def.map(|entity| &self.program.defs[usize::from(entity.def)]) {
            Some(def) => match self.text(def.title) {
                Datum::Text(title) if !title.is_empty() => Datum::Text(title),
                _ => Datum::text(self.program.symbol(def.name)),
            },
            None => match value {
                // A reaction to be put in order.
                Datum::Map(_) if matches!(value.get("rule"), Some(Datum::Text(_))) => match value.get("rule")
                {
                    Some(Datum::Text(rule)) => Datum::text(rule.replace('_', " ")),
                    _ => Datum::Null,
                },
                Datum::Int(number) => Datum::Text(number.to_string().into()),
                other => other.clone(),
            },
        }
    }

    /// Reads an answer as a client writes it: options by name, label or number (`{"n": 2}`, or `2` where options are no
    /// numbers themselves), null for an empty slot, `"pass"` to decline, and branches as `{id, selection}` or by their id alone; titles will do, too. What is
    /// selected in a branch that has branches is written the same way.
    ///
    /// # Errors
    ///
    /// If the question is not open or something named is not among its options.
    pub fn read_answer(
        &mut self,
        game: &Match,
        seat: Seat,
        input: InputId,
        datum: &Datum,
    ) -> Result<Answer, Rejection> {
        self.read(&asked(game, seat, input)?, datum, Unknown::Refused)
    }

    /// Reads a draft as a client writes it. Like [`read_answer`](Witness::read_answer), but where the question keeps what
    /// is good of a draft, what is not among its options becomes an empty slot, or nothing.
    ///
    /// # Errors
    ///
    /// If the question is not open, or does not keep what is good of such a draft.
    pub fn read_draft(
        &mut self,
        game: &Match,
        seat: Seat,
        input: InputId,
        datum: &Datum,
    ) -> Result<Answer, Rejection> {
        let pending = asked(game, seat, input)?;
        let unknown = match pending.choice().draft {
            Some(DraftPolicy::Blank) => Unknown::Blank,
            _ => Unknown::Refused,
        };
        self.read(&pending, datum, unknown)
    }

    fn read(&mut self, pending: &Pending<'_>, datum: &Datum, unknown: Unknown) -> Result<Answer, Rejection> {
        let choice = pending.choice();
        let is_pass = *datum == Datum::Null || *datum == Datum::text("pass");
        if choice.pass && is_pass {
            return Ok(Answer::Pass);
        }
        let one = std::slice::from_ref(datum);
        let items = match datum {
            Datum::List(items) => items,
            _ => one,
        };
        if choice.shape == Shape::Branches {
            let mut taken = Vec::with_capacity(items.len());
            self.read_branches(pending, None, items, &mut taken)?;
            return Ok(Answer::Branches(taken));
        }
        if choice.shape == Shape::Path {
            return self.read_path(pending, items);
        }
        let slots = matches!(choice.shape, Shape::Slots { .. });
        self.read_picks(pending, pending.options(), items, slots, unknown).map(Answer::Picks)
    }

    /// What may follow the beginning of a path, for the seat that is asked for one: the `options` with values, labels
    /// and numbers as in a prompt, and whether what there is so far is `enough`.
    ///
    /// `so_far` is written as an answer would be. Nothing changes.
    ///
    /// # Errors
    ///
    /// If the question is not open, another seat is asked, it does not ask for a path, the beginning is none, or a
    /// rule fails.
    pub fn what_follows(
        &mut self,
        game: &Match,
        seat: Seat,
        input: InputId,
        so_far: &[Datum],
    ) -> Result<Datum, Refusal> {
        let pending = asked(game, seat, input)?;
        let mut walk = self.walk_along(&pending, so_far)?;
        self.after(&mut walk).map_err(Refusal::Faulted)
    }

    /// The same for a path that is gone step by step, in the names of the seat that is asked for it.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn after(&mut self, walk: &mut Walk<'_>) -> Result<Datum, Fault> {
        let options = walk.options()?.to_vec();
        let options = self.options_on(walk.pending(), walk.board(), &options);
        let entries = [("options", options), ("enough", Datum::Bool(walk.is_enough()))];
        Ok(Datum::Map(entries.map(|(name, value)| (Text::new_static(name), value)).into()))
    }

    /// Goes a path as a client writes it.
    fn walk_along<'a>(&mut self, pending: &Pending<'a>, items: &[Datum]) -> Result<Walk<'a>, Refusal> {
        let mut walk = pending.walk().ok_or(Rejection::WrongShape)?;
        items.iter().try_for_each(|item| self.step_to(&mut walk, item))?;
        Ok(walk)
    }

    fn step_to(&mut self, walk: &mut Walk<'_>, item: &Datum) -> Result<(), Refusal> {
        let options = walk.options().map_err(Refusal::Faulted)?.to_vec();
        let Datum::List(shown) = self.options_on(walk.pending(), walk.board(), &options) else {
            return Err(unknown(item).into());
        };
        let pick = meant(&shown, item, &|_| true).ok_or_else(|| unknown(item))?;
        walk.step(pick)
    }

    fn read_path(&mut self, pending: &Pending<'_>, items: &[Datum]) -> Result<Answer, Rejection> {
        let mut walk = pending.walk().ok_or(Rejection::WrongShape)?;
        for item in items {
            match self.step_to(&mut walk, item) {
                Ok(()) => {}
                Err(Refusal::Rejected(rejection)) => return Err(rejection),
                // A rule failed after these steps: it will fail again when they are sent with one more, and be told.
                Err(Refusal::Faulted(_)) => {
                    return Ok(Answer::Picks(walk.picks().iter().copied().chain([0]).collect()));
                }
            }
        }
        Ok(walk.answer())
    }

    fn read_picks(
        &mut self,
        pending: &Pending<'_>,
        options: &[Word],
        items: &[Datum],
        slots: bool,
        if_unknown: Unknown,
    ) -> Result<Vec<i32>, Rejection> {
        let Datum::List(shown) = self.options_shown(pending, options) else {
            return Ok(Vec::new());
        };
        let mut picks: Vec<i32> = Vec::with_capacity(items.len());
        for item in items {
            if slots && *item == Datum::Null {
                picks.push(-1);
                continue;
            }
            // A label that several options share picks another of them each time.
            let pick = meant(&shown, item, &|place| !picks.contains(&place));
            match (pick, if_unknown) {
                (Some(pick), _) => picks.push(pick),
                (None, Unknown::Blank) => picks.push(-1),
                (None, Unknown::Refused) => return Err(unknown(item)),
            }
        }
        Ok(picks)
    }

    /// Reads what is taken of the branches of one parent, and in each.
    fn read_branches(
        &mut self,
        pending: &Pending<'_>,
        parent: Option<u16>,
        items: &[Datum],
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) -> Result<(), Rejection> {
        let choice = pending.choice();
        for item in items {
            let named = item.get("id").or_else(|| item.get("title")).unwrap_or(item);
            let is_meant = |index: &usize| {
                let branch = &choice.branches[*index];
                *named == Datum::text(self.program.symbol(branch.id)) || *named == self.text(branch.title)
            };
            let index = choice.branches_of(parent).find(is_meant).ok_or_else(|| unknown(named))?;
            let selection = match item.get("selection") {
                None => &[],
                Some(Datum::List(items)) => items.as_slice(),
                Some(one) => std::slice::from_ref(one),
            };
            self.read_branch(pending, index, selection, taken)
                .map_err(|rejection| rejection.in_branch(pending.branch_title(index)))?;
        }
        Ok(())
    }

    fn read_branch(
        &mut self,
        pending: &Pending<'_>,
        index: usize,
        selection: &[Datum],
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) -> Result<(), Rejection> {
        if pending.choice().branches[index].inner == Inner::Branches {
            taken.push((index as u16, Vec::new()));
            return self.read_branches(pending, Some(index as u16), selection, taken);
        }
        let options = pending.branch(index).map_or(&[][..], |offer| offer.options);
        taken.push((index as u16, self.read_picks(pending, options, selection, false, Unknown::Refused)?));
        Ok(())
    }
}

/// What becomes of an answer that names what is not among the options.
#[derive(Clone, Copy)]
enum Unknown {
    /// It is refused.
    Refused,
    /// What it names is no option; the match makes of it what it makes of bad drafts.
    Blank,
}

/// The open question with that id, if it is the seat's.
fn asked<'a>(game: &'a Match, seat: Seat, input: InputId) -> Result<Pending<'a>, Rejection> {
    let pending = game.pending().find(|pending| pending.id() == input);
    let pending = pending.ok_or(Rejection::InputClosed { input })?;
    match pending.seat() == seat {
        true => Ok(pending),
        false => Err(Rejection::NotYourInput { asked: pending.seat() }),
    }
}

/// The option a client means by a value, a label or a number; one that is free if there is a choice.
fn meant(shown: &[Datum], item: &Datum, is_free: &dyn Fn(i32) -> bool) -> Option<i32> {
    let fits = |option: &Datum| {
        option.get("value") == Some(item) || option.get("label") == Some(item) || option == item
    };
    let named: Vec<i32> = (0..shown.len()).filter(|place| fits(&shown[*place])).map(|n| n as i32).collect();
    // A bare number may be one of the options; `{"n": 2}` is the third of them, whatever they are.
    let by_number = || match item {
        Datum::Int(number) => Some(number),
        Datum::Map(entries) if entries.len() == 1 => match item.get("n") {
            Some(Datum::Int(number)) => Some(number),
            _ => None,
        },
        _ => None,
    };
    let by_number = || {
        let number = by_number().and_then(|number| i32::try_from(*number).ok());
        number.filter(|n| (0..shown.len() as i32).contains(n))
    };
    let free = named.iter().find(|place| is_free(**place));
    free.or_else(|| named.first()).copied().or_else(by_number)
}

fn unknown(item: &Datum) -> Rejection {
    let selection = match item {
        Datum::Text(text) => text.to_string(),
        Datum::Int(number) => number.to_string(),
        Datum::Bool(value) => value.to_string(),
        Datum::Null => "null".to_owned(),
        Datum::List(_) | Datum::Map(_) => "(a value)".to_owned(),
    };
    Rejection::NoSuchSelection { selection }
}
