//! Questions as a viewer sees them, and answers as a viewer writes them.

use std::borrow::Cow;

use intermezzo_program::{
    AnswerShape, BranchContent, DraftPolicy, KindId, Seat, TextId, Type, TypeId, Visibility, Word, word,
};

use smol_str::format_smolstr;

use crate::ask::input::{Answer, InputId, Refusal, Rejection, RuleFault};
use crate::ask::meant_option::{AnswerRules, MeantOption};
use crate::ask::paths::PathWalk;
use crate::ask::request::PendingQuestion;
use crate::ask::written_answer::{WrittenAnswer, quoted_selection};
use crate::run::match_instance::Match;
use crate::storage::board::{Board, NO_DEF};
use crate::values::datum::{Datum, ShortText, describe_with};
use crate::view::observer::{Observer, Viewer};

/// Value of a placeholder in the texts of a question.
struct PlaceholderValue {
    /// The text between the braces.
    name: ShortText,
    value: Datum,
    /// The value in a sentence.
    words: String,
}

impl PendingQuestion<'_> {
    /// Returns the title with its placeholders filled. Entities are called by the titles of their defs.
    #[must_use]
    pub fn title(&self) -> String {
        let program = self.program();
        let title = program.texts.get(self.choice().title.index()).cloned().unwrap_or_default();
        let Some((texts, (board, words))) = self.choice().texts.as_ref().zip(self.text_values()) else {
            return title;
        };
        let mut name = |entity: Word| match board.entity(entity).and_then(|found| {
            let def = program.defs.get(usize::from(found.def))?;
            program.texts.get(def.title.index())
        }) {
            _ if board.is_player(entity) => Datum::text(format!("p{}", word::seat(entity).0)),
            Some(title) => Datum::text(title),
            None => Datum::Null,
        };
        texts.fields.iter().zip(words).fold(title, |title, ((placeholder, ty), word)| {
            let value = describe_with(program, &board, word, *ty, &mut name);
            title.replace(&format!("{{{placeholder}}}"), &words_of(&value))
        })
    }
}

/// Returns a value as words of a sentence.
fn words_of(value: &Datum) -> String {
    match value {
        Datum::Null => "nothing".to_owned(),
        Datum::Bool(true) => "yes".to_owned(),
        Datum::Bool(false) => "no".to_owned(),
        Datum::Int(number) => number.to_string(),
        Datum::Text(text) => text.replace('_', " "),
        Datum::List(items) => items.iter().map(words_of).collect::<Vec<_>>().join(", "),
        Datum::Map(entries) => {
            entries.iter().map(|(_, value)| words_of(value)).collect::<Vec<_>>().join(", ")
        }
    }
}

impl Observer {
    /// Describes the questions to a viewer, and which other seats are asked, as far as the viewer
    /// [may know](Observer::shows_question).
    /// Only the seat itself sees its auto-pass setting.
    pub fn prompts(&mut self, game: &Match, viewer: Viewer) -> Datum {
        let mut asked = Vec::new();
        let mut others = Vec::new();
        for pending in game.pending() {
            if viewer == Viewer::Seat(pending.seat()) {
                asked.push(self.prompt(&pending));
            } else if self.shows_question(viewer, &pending) {
                let kind = Datum::text(pending.choice().kind.name());
                let seat = Datum::Int(i64::from(pending.seat().0));
                others.push(Datum::Map(vec![
                    (ShortText::new_static("seat"), seat),
                    (ShortText::new_static("kind"), kind),
                ]));
            }
        }
        let auto = match viewer {
            Viewer::Seat(seat) => game.auto_pass_setting(seat),
            Viewer::Spectator => None,
        };
        let mut entries = vec![("prompts", Datum::List(asked)), ("others", Datum::List(others))];
        if let Some((until, stops)) = auto {
            let auto = [("until", Datum::text(until.name())), ("stops", Datum::Bool(stops))];
            let auto = auto.map(|(name, value)| (ShortText::new_static(name), value));
            entries.push(("auto", Datum::Map(auto.into())));
        }
        Datum::Map(entries.into_iter().map(|(name, value)| (ShortText::new_static(name), value)).collect())
    }

    /// Returns the viewer's own number of a question. The global ids would reveal how many others were asked.
    fn question_number(&mut self, seat: Seat, id: InputId) -> u32 {
        let place = self.viewer_index(Viewer::Seat(seat));
        self.viewer_names.viewers[place].question_number(id)
    }

    fn prompt(&mut self, pending: &PendingQuestion<'_>) -> Datum {
        let choice = pending.choice();
        let number = self.question_number(pending.seat(), pending.id());
        let (min, max) = pending.bounds();
        let optional = |value: Option<i64>| value.map_or(Datum::Null, Datum::Int);
        let draft =
            pending.draft().map_or(Datum::Null, |value| self.describe_option(pending, value, choice.value));
        let default = pending
            .default_value()
            .map_or(Datum::Null, |value| self.describe_option(pending, value, choice.value));
        let values = self.placeholder_values(pending);
        let title = self.filled(choice.title, &values);
        let branches = self.branches(pending, None, &values);
        let entries = [
            ("inputId", Datum::Int(i64::from(number))),
            ("actor", Datum::Text(format_smolstr!("p{}", pending.seat().0))),
            ("name", Datum::text(&choice.name)),
            ("kind", Datum::text(choice.kind.name())),
            ("title", title),
            ("options", self.describe_options(pending, pending.options())),
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
        let mut entries: Vec<(ShortText, Datum)> =
            entries.map(|(name, value)| (ShortText::new_static(name), value)).into();
        if choice.shape == AnswerShape::Path {
            entries.push((ShortText::new_static("path"), Datum::Bool(true)));
        }
        if let Some(title) = choice.pass_title {
            entries.push((ShortText::new_static("passTitle"), self.filled(title, &values)));
        }
        if !values.is_empty() {
            let template = self.text(choice.title);
            entries.push((ShortText::new_static("template"), template));
            if let Some(title) = choice.pass_title {
                entries.push((ShortText::new_static("passTemplate"), self.text(title)));
            }
            let values = values.into_iter().map(|value| (value.name, value.value)).collect();
            entries.push((ShortText::new_static("values"), Datum::Map(values)));
        }
        if let Some(rule) = self.prompt_rule(pending) {
            entries.push((ShortText::new_static("rule"), rule));
        }
        if let Some(about) = self.prompt_cause(pending) {
            entries.push((ShortText::new_static("about"), about));
        }
        if let Some(lesson) = self.lesson(pending) {
            entries.push((ShortText::new_static("lesson"), lesson));
        }
        Datum::Map(entries)
    }

    pub(crate) fn text(&self, text: TextId) -> Datum {
        self.program.texts.get(text.index()).map_or(Datum::Null, Datum::text)
    }

    /// Returns the values of the placeholders in a question's texts, as the player asked may see them.
    fn placeholder_values(&mut self, pending: &PendingQuestion<'_>) -> Vec<PlaceholderValue> {
        let Some(texts) = &pending.choice().texts else { return Vec::new() };
        let Some((board, words)) = pending.text_values() else { return Vec::new() };
        let viewer = Viewer::Seat(pending.seat());
        self.concealed.clear();
        let mut values = Vec::new();
        for ((name, ty), word) in texts.fields.iter().zip(words) {
            let mut mentioned = Vec::new();
            self.collect_entities_from(&board, *ty, word, &mut mentioned);
            let is_hidden = mentioned.into_iter().any(|entity| !self.sees(viewer, entity));
            let value = match is_hidden {
                true => Datum::Null,
                false => self.describe_option_on(pending, &board, word, *ty),
            };
            let words = match value {
                Datum::Null => "something".to_owned(),
                _ => words_of(&self.label_of(&board, word, *ty, &value)),
            };
            values.push(PlaceholderValue { name: name.into(), value, words });
        }
        values
    }

    /// Returns a text with its placeholders filled.
    fn filled(&self, text: TextId, values: &[PlaceholderValue]) -> Datum {
        match self.text(text) {
            Datum::Text(text) if !values.is_empty() => {
                let fill = |text: String, value: &PlaceholderValue| {
                    text.replace(&format!("{{{}}}", value.name), &value.words)
                };
                Datum::text(values.iter().fold(text.to_string(), fill))
            }
            text => text,
        }
    }

    /// Describes the available branches of a parent, with their child branches inside.
    fn branches(
        &mut self,
        pending: &PendingQuestion<'_>,
        parent: Option<u16>,
        values: &[PlaceholderValue],
    ) -> Datum {
        let mut shown = Vec::new();
        for index in pending.choice().branches_of(parent) {
            let Some(offer) = pending.branch(index).filter(|offer| offer.available) else {
                continue;
            };
            let branch = &pending.choice().branches[index];
            let entries = [
                ("id", Datum::text(self.program.symbol(branch.id))),
                ("title", self.filled(branch.title, values)),
                ("exclusive", Datum::Bool(branch.exclusive)),
                ("options", self.describe_options(pending, offer.options)),
                ("min", Datum::Int(i64::from(offer.min))),
                ("max", Datum::Int(i64::from(offer.max))),
            ];
            let mut entries: Vec<(ShortText, Datum)> =
                entries.map(|(name, value)| (ShortText::new_static(name), value)).into();
            if !values.is_empty() {
                entries.push((ShortText::new_static("template"), self.text(branch.title)));
            }
            if branch.inner == BranchContent::Branches {
                let inner = self.branches(pending, Some(index as u16), values);
                entries.push((ShortText::new_static("branches"), inner));
            }
            shown.push(Datum::Map(entries));
        }
        Datum::List(shown)
    }

    fn describe_options(&mut self, pending: &PendingQuestion<'_>, options: &[Word]) -> Datum {
        self.describe_options_on(pending, pending.board, options)
    }

    /// Describes options whose values are on that board.
    fn describe_options_on(
        &mut self,
        pending: &PendingQuestion<'_>,
        board: &Board,
        options: &[Word],
    ) -> Datum {
        let are_offers = self.program.types[pending.choice().item.index()] == Type::Offer;
        // The costs of offers are computed on a copy.
        let mut copy = are_offers.then(|| board.clone());
        let is_entity =
            matches!(self.program.types[pending.choice().item.index()], Type::Entity | Type::Kind(_));
        let is_blind = pending.choice().blind && is_entity;
        self.conceal(pending.seat(), board, if is_blind { options } else { &[] });
        let mut shown = Vec::with_capacity(options.len());
        for (index, option) in options.iter().enumerate() {
            let value = self.describe_option_on(pending, board, *option, pending.choice().item);
            let is_hidden = is_entity && self.concealed_place(*option).is_some();
            let label = self.label_of(board, *option, pending.choice().item, &value);
            let entries = [("n", Datum::Int(index as i64)), ("value", value), ("label", label)];
            let mut entries: Vec<(ShortText, Datum)> =
                entries.map(|(name, value)| (ShortText::new_static(name), value)).into();
            if is_hidden {
                entries.push((ShortText::new_static("hidden"), Datum::Bool(true)));
            }
            if let Some(copy) = &mut copy {
                entries.extend(self.offer_details(pending.seat(), copy, *option));
            }
            shown.push(Datum::Map(entries));
        }
        Datum::List(shown)
    }

    /// Notes what a seat must not learn about: what lies face down, and these options as far as the seat does not see them.
    pub(crate) fn conceal(&mut self, seat: Seat, board: &Board, options: &[Word]) {
        self.concealed.clear();
        if self.program.face_props.is_empty() && options.is_empty() {
            return;
        }
        let mut things: Vec<Word> = options.to_vec();
        for zone in 0..board.zones.count() as u32 {
            let family = board.zones.head(zone).map(|head| head.family);
            if self.program.face_props.iter().any(|(face, _)| Some(*face) == family) {
                things.extend(board.zone_contents(Word::from(zone)));
            }
        }
        for thing in things {
            let Some(found) = board.entity(thing).copied() else { continue };
            let Some(family) = board.zones.head(found.zone).map(|head| head.family) else { continue };
            if !self.sees(Viewer::Seat(seat), thing) {
                let zone = self.program.symbol(self.program.zones[family.index()].name).replace('_', " ");
                self.concealed.push((thing, format!("{zone} {}", found.index + 1).into()));
            }
        }
    }

    /// Returns the place that stands for a thing.
    pub(crate) fn concealed_place(&self, thing: Word) -> Option<&ShortText> {
        self.concealed.iter().find(|(concealed, _)| *concealed == thing).map(|(_, place)| place)
    }

    /// Describes an option as data. A seat that may pick an entity may name it.
    fn describe_option(&mut self, pending: &PendingQuestion<'_>, value: Word, ty: TypeId) -> Datum {
        self.describe_option_on(pending, pending.board, value, ty)
    }

    fn describe_option_on(
        &mut self,
        pending: &PendingQuestion<'_>,
        board: &Board,
        value: Word,
        ty: TypeId,
    ) -> Datum {
        let place = self.viewer_index(Viewer::Seat(pending.seat()));
        let numbering = &mut self.viewer_names.viewers[place];
        describe_with(pending.program(), board, value, ty, &mut |entity| numbering.name(entity))
    }

    /// Returns the value of the property that the ruleset shows in place of names, if everyone sees it and it is a text.
    pub(crate) fn label_value(&self, board: &Board, entity: Word) -> Option<Datum> {
        let label = self.program.prop_of(board.entity(entity)?.kind, self.program.label?)?;
        let prop = &self.program.props[label.index()];
        let is_open = prop.derived.is_none() && matches!(prop.visible, Visibility::All);
        let value = board.column(entity, prop.column).filter(|_| is_open)?;
        let label = crate::values::datum::describe(&self.program, board, value, prop.ty);
        matches!(label, Datum::Text(_)).then_some(label)
    }

    /// Returns the display label: the value of the label property, the title of the def, or the name itself.
    pub(crate) fn label_of(&self, board: &Board, option: Word, ty: TypeId, value: &Datum) -> Datum {
        let entity = match self.program.types[ty.index()] {
            Type::Entity | Type::Kind(_) => board.entity(option),
            Type::Offer => return self.offer_label(board, option),
            _ => None,
        };
        if let Some(place) = entity.and_then(|_| self.concealed_place(option)) {
            return Datum::Text(place.clone());
        }
        if let Some(label) = entity.and_then(|_| self.label_value(board, option)) {
            return label;
        }
        let def = entity.filter(|entity| entity.kind.0 > KindId::PLAYER.0 && entity.def != NO_DEF);
        match def.map(|entity| &self.program.defs[usize::from(entity.def)]) {
            Some(def) => match self.text(def.title) {
                Datum::Text(title) if !title.is_empty() => Datum::Text(title),
                _ => Datum::text(self.program.symbol(def.name)),
            },
            None => match value {
                // A reaction to be ordered.
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

    /// Reads an answer as a client writes it: options by value, label or index (`{"n": 2}`), null for an empty
    /// slot, `"pass"` to pass, and branches as `{id, selection}` or by id alone; titles work too. The selection
    /// in a branch with child branches is written the same way. A number is a value, never an index. Actions
    /// can also be written in short (see the module `offer_reference`), and `true` and `false` accept and decline an
    /// offer of one option.
    ///
    /// # Errors
    ///
    /// If the question is not open or the answer names something that is not among its options.
    pub fn read_answer(
        &mut self,
        game: &Match,
        seat: Seat,
        input: InputId,
        datum: &Datum,
    ) -> Result<Answer, Rejection> {
        self.read(&find_pending(game, seat, input)?, datum, AnswerRules::Current)
    }

    /// Reads an answer by the rules of old match files, in which a bare number could be an index and actions
    /// had no short forms. Recorded answers keep the meaning they had.
    ///
    /// # Errors
    ///
    /// As [`read_answer`](Observer::read_answer).
    pub fn read_recorded_answer(
        &mut self,
        game: &Match,
        seat: Seat,
        input: InputId,
        datum: &Datum,
    ) -> Result<Answer, Rejection> {
        self.read(&find_pending(game, seat, input)?, datum, AnswerRules::Recorded)
    }

    /// Reads a draft as a client writes it. Like [`read_answer`](Observer::read_answer), but if the question
    /// keeps the valid part of a draft, an unknown option becomes an empty slot or is dropped.
    ///
    /// # Errors
    ///
    /// If the question is not open, or does not keep the valid part of such a draft.
    pub fn read_draft(
        &mut self,
        game: &Match,
        seat: Seat,
        input: InputId,
        datum: &Datum,
    ) -> Result<Answer, Rejection> {
        let pending = find_pending(game, seat, input)?;
        let rules = match pending.choice().draft {
            Some(DraftPolicy::Blank) => AnswerRules::RepairedDraft,
            _ => AnswerRules::Current,
        };
        self.read(&pending, datum, rules)
    }

    fn read(
        &mut self,
        pending: &PendingQuestion<'_>,
        datum: &Datum,
        rules: AnswerRules,
    ) -> Result<Answer, Rejection> {
        let choice = pending.choice();
        let says_pass = *datum == Datum::text("pass");
        if choice.pass && (says_pass || *datum == Datum::Null) {
            return Ok(Answer::Pass);
        }
        match self.read_options(pending, datum, rules) {
            // Nothing is called `pass`.
            Err(Rejection::NoSuchSelection { .. }) if says_pass => Err(Rejection::CannotPass),
            read => read,
        }
    }

    /// Reads an answer that does not pass.
    fn read_options(
        &mut self,
        pending: &PendingQuestion<'_>,
        datum: &Datum,
        rules: AnswerRules,
    ) -> Result<Answer, Rejection> {
        let choice = pending.choice();
        if let (Datum::Bool(accepts), false) = (datum, rules == AnswerRules::Recorded)
            && let Some(consent) = pending.consent(*accepts)
        {
            return Ok(consent);
        }
        let one = std::slice::from_ref(datum);
        let items = match datum {
            Datum::List(items) => items,
            _ => one,
        };
        if choice.shape == AnswerShape::Path {
            return self.read_path(pending, items, rules);
        }
        let mut written = WrittenAnswer::default();
        written.answer = if choice.shape == AnswerShape::Branches {
            let mut taken = Vec::with_capacity(items.len());
            self.read_branches(pending, None, items, rules, &mut written, &mut taken)?;
            Answer::Branches(taken)
        } else {
            let slots = matches!(choice.shape, AnswerShape::Slots { .. });
            Answer::Picks(self.read_picks(pending, pending.options(), items, slots, rules, &mut written)?)
        };
        written.all_known(pending)
    }

    /// Describes the options that may follow the beginning of a path, for the seat that is asked for one: the
    /// `options` with values, labels and indexes as in a prompt, and whether the beginning is `enough` as an
    /// answer.
    ///
    /// `so_far` is written as an answer would be. Nothing changes.
    ///
    /// # Errors
    ///
    /// If the question is not open, another seat is asked, it does not ask for a path, the beginning is
    /// invalid, or a rule fails.
    pub fn next_path_options(
        &mut self,
        game: &Match,
        seat: Seat,
        input: InputId,
        so_far: &[Datum],
    ) -> Result<Datum, Refusal> {
        let pending = find_pending(game, seat, input)?;
        let mut walk = self.follow_path(&pending, so_far)?;
        self.describe_path(&mut walk).map_err(Refusal::Faulted)
    }

    /// Describes the next options of a path that is walked step by step, in the names of the seat that is
    /// asked.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn describe_path(&mut self, walk: &mut PathWalk<'_>) -> Result<Datum, RuleFault> {
        let options = walk.options()?.to_vec();
        let options = self.describe_options_on(walk.pending(), walk.board(), &options);
        let entries = [("options", options), ("enough", Datum::Bool(walk.is_long_enough()))];
        Ok(Datum::Map(entries.map(|(name, value)| (ShortText::new_static(name), value)).into()))
    }

    /// Walks a path as a client writes it.
    fn follow_path<'a>(
        &mut self,
        pending: &PendingQuestion<'a>,
        items: &[Datum],
    ) -> Result<PathWalk<'a>, Refusal> {
        let mut walk = pending.start_path().ok_or(Rejection::WrongShape)?;
        items.iter().try_for_each(|item| self.step_to_item(&mut walk, item, AnswerRules::Current))?;
        Ok(walk)
    }

    fn step_to_item(
        &mut self,
        walk: &mut PathWalk<'_>,
        item: &Datum,
        rules: AnswerRules,
    ) -> Result<(), Refusal> {
        let options = walk.options().map_err(Refusal::Faulted)?.to_vec();
        let Datum::List(shown) = self.describe_options_on(walk.pending(), walk.board(), &options) else {
            return Err(no_such_selection(item).into());
        };
        let board = walk.board();
        match self
            .meant_option(board, (&options, walk.pending().choice().item), &shown, item, rules, &|_| true)
        {
            MeantOption::One(pick) => walk.step(pick),
            MeantOption::Several(count) => {
                Err(Rejection::AmbiguousOption { selection: quoted_selection(item), count }.into())
            }
            MeantOption::None => Err(no_such_selection(item).into()),
        }
    }

    fn read_path(
        &mut self,
        pending: &PendingQuestion<'_>,
        items: &[Datum],
        rules: AnswerRules,
    ) -> Result<Answer, Rejection> {
        let mut walk = pending.start_path().ok_or(Rejection::WrongShape)?;
        for item in items {
            match self.step_to_item(&mut walk, item, rules) {
                Ok(()) => {}
                Err(Refusal::Rejected(rejection)) => return Err(rejection),
                // A rule failed after these steps. One more pick makes the validation run the rule again and
                // report the fault.
                Err(Refusal::Faulted(_)) => {
                    return Ok(Answer::Picks(walk.picks().iter().copied().chain([0]).collect()));
                }
            }
        }
        Ok(walk.answer())
    }

    fn read_picks(
        &mut self,
        pending: &PendingQuestion<'_>,
        options: &[Word],
        items: &[Datum],
        slots: bool,
        rules: AnswerRules,
        written: &mut WrittenAnswer,
    ) -> Result<Vec<i32>, Rejection> {
        let Datum::List(shown) = self.describe_options(pending, options) else {
            return Ok(Vec::new());
        };
        let mut picks: Vec<i32> = Vec::with_capacity(items.len());
        for item in items {
            if slots && *item == Datum::Null {
                picks.push(-1);
                continue;
            }
            // A name that several options share picks another of them each time.
            let is_free = |place| !picks.contains(&place);
            let options = (options, pending.choice().item);
            let pick = self.meant_option(pending.board, options, &shown, item, rules, &is_free);
            picks.push(match pick {
                MeantOption::One(pick) => pick,
                // The match treats it like any invalid part of a draft.
                _ if rules == AnswerRules::RepairedDraft => -1,
                MeantOption::Several(count) => written.ambiguous_pick(quoted_selection(item), count),
                MeantOption::None => written.unknown_pick(quoted_selection(item)),
            });
        }
        Ok(picks)
    }

    /// Reads the branches taken below one parent, with the picks in each.
    fn read_branches(
        &mut self,
        pending: &PendingQuestion<'_>,
        parent: Option<u16>,
        items: &[Datum],
        rules: AnswerRules,
        written: &mut WrittenAnswer,
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) -> Result<(), Rejection> {
        for item in items {
            for (name, selection) in written_branches(item) {
                let Some(index) = self.branch_named(pending, parent, &name) else {
                    let within = parent.map(|parent| pending.branch_title(usize::from(parent)).to_owned());
                    taken.push((written.unknown_branch(name.to_string(), within), Vec::new()));
                    continue;
                };
                self.read_branch(pending, index, selection, rules, written, taken)
                    .map_err(|rejection| rejection.in_branch(pending.branch_title(index)))?;
            }
        }
        Ok(())
    }

    /// Finds a branch below a parent by its id or its title, as the player reads it or as the rules write it.
    fn branch_named(
        &mut self,
        pending: &PendingQuestion<'_>,
        parent: Option<u16>,
        name: &Datum,
    ) -> Option<usize> {
        let choice = pending.choice();
        let is_meant = |index: &usize| {
            let branch = &choice.branches[*index];
            *name == Datum::text(self.program.symbol(branch.id)) || *name == self.text(branch.title)
        };
        if let Some(index) = choice.branches_of(parent).find(is_meant) {
            return Some(index);
        }
        let values = self.placeholder_values(pending);
        let is_title = |index: &usize| *name == self.filled(choice.branches[*index].title, &values);
        choice.branches_of(parent).find(is_title).filter(|_| !values.is_empty())
    }

    fn read_branch(
        &mut self,
        pending: &PendingQuestion<'_>,
        index: usize,
        selection: &[Datum],
        rules: AnswerRules,
        written: &mut WrittenAnswer,
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) -> Result<(), Rejection> {
        if pending.choice().branches[index].inner == BranchContent::Branches {
            taken.push((index as u16, Vec::new()));
            return self.read_branches(pending, Some(index as u16), selection, rules, written, taken);
        }
        let options = pending.branch(index).map_or(&[][..], |offer| offer.options);
        let picks = self.read_picks(pending, options, selection, false, rules, written)?;
        taken.push((index as u16, picks));
        Ok(())
    }
}

/// Finds the open question with that id, if it is the seat's.
fn find_pending<'a>(game: &'a Match, seat: Seat, input: InputId) -> Result<PendingQuestion<'a>, Rejection> {
    let pending = game.pending().find(|pending| pending.id() == input);
    let pending = pending.ok_or(Rejection::InputClosed { input })?;
    match pending.seat() == seat {
        true => Ok(pending),
        false => Err(Rejection::NotYourInput { asked: pending.seat() }),
    }
}

/// Returns the branches that one item of an answer takes, and what it picks inside each: `{id, selection}` or
/// `{title, selection}`; `{rest: null, buy: [apple]}`; or an id alone.
fn written_branches(item: &Datum) -> Vec<(Cow<'_, Datum>, &[Datum])> {
    let Datum::Map(entries) = item else { return vec![(Cow::Borrowed(item), &[])] };
    if let Some(name) = item.get("id").or_else(|| item.get("title")) {
        return vec![(Cow::Borrowed(name), item.get("selection").map_or(&[], selected))];
    }
    entries.iter().map(|(name, picks)| (Cow::Owned(Datum::Text(name.clone())), selected(picks))).collect()
}

/// Returns the picks inside a branch: a list, one, or none.
fn selected(picks: &Datum) -> &[Datum] {
    match picks {
        Datum::Null => &[],
        Datum::List(items) => items,
        one => std::slice::from_ref(one),
    }
}

fn no_such_selection(item: &Datum) -> Rejection {
    Rejection::NoSuchSelection { selection: quoted_selection(item) }
}
