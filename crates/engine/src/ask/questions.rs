//! Building of questions and delivery of their answers.

use intermezzo_program::{
    AnswerMode, AnswerShape, BranchContent, Choice, ChoiceId, FaultCode, NULL, Program, Reg, Seat, Word,
    native, word,
};

use crate::ask::input::InputId;
use crate::ask::request::{QuestionState, RequestState, Requests, SeatQuestion};
use crate::optimize::program_index::symbol_word;
use crate::run::effects::{Counters, Machine, Result};
use crate::storage::board::Board;
use crate::values::arithmetic::{count, holds};

/// Greatest number of slots a question may have.
const MAX_SLOTS: usize = 4096;

impl Machine<'_> {
    /// Opens a request, or reopens one that was set aside.
    pub(crate) fn open_request(&mut self, choice: ChoiceId) {
        let frame = self.core.frames.stack.len() as u32 - 1;
        let open_pc = self.core.frames.stack[frame as usize].pc() - 1;
        self.requests.open(choice, frame, open_pc);
    }

    /// Asks one player.
    pub(crate) fn ask_player(&mut self, choice_id: ChoiceId, args: Reg) -> Result<()> {
        let choice = &self.core.program.choices[choice_id.index()];
        let first =
            self.core.frames.stack.last().map_or(0, |frame| frame.base() as usize) + usize::from(args.0);
        let arg = |n: u16| self.core.frames.regs[first + usize::from(n)];
        let player = arg(Choice::PLAYER);
        if player == NULL || !self.core.board.is_player(player) {
            return Err(FaultCode::Missing);
        }
        let options = if arg(Choice::OPTIONS) == NULL { 0 } else { arg(Choice::OPTIONS) };
        let option_count = self.core.board.heap.items(options)?.len();
        let deadline = arg(Choice::DEADLINE);
        if deadline != NULL && deadline < 0 {
            return Err(FaultCode::BadCount);
        }
        let (min, max) = (arg(Choice::MIN), arg(Choice::MAX));
        let default = arg(Choice::DEFAULT);
        let branches = self.requests.words.len() as u32;
        let is_open = !choice.closes || holds(arg(choice.open_offset()));
        let is_asked =
            is_open && !(choice.closes && self.core.board.left_seats[usize::from(word::seat(player).0)]);
        let mut ask = SeatQuestion {
            choice: choice_id,
            id: InputId(0),
            seat: word::seat(player),
            state: QuestionState::Open,
            touched: false,
            has_draft: false,
            draft_is_legal: false,
            how: native::CONFIRMED,
            min: 0,
            max: 0,
            branches,
            options,
            deadline,
            default,
            draft: NULL,
            answer: NULL,
        };
        if !is_open {
            return self.close_question(choice, ask);
        }
        let together = match choice.branches.is_empty() {
            true => 0,
            false => self.branch_words(choice, first + usize::from(Choice::BRANCHES))?,
        };
        let bounds = match choice.shape {
            AnswerShape::Slots { empty } => slot_bounds(max, option_count, empty, choice.pass),
            AnswerShape::Branches => bounds(min, max, together, choice.pass),
            AnswerShape::Pick | AnswerShape::Order => bounds(min, max, option_count, choice.pass),
            AnswerShape::Path => path_bounds(min, max, option_count, choice),
        };
        let bounds = match (bounds, &choice.tests) {
            (Ok(bounds), Some(_)) if is_asked => {
                let passes = self.core.has_valid_selection(choice, player, options, bounds)?;
                if passes || choice.pass { Ok(bounds) } else { Err(FaultCode::NoOptions) }
            }
            (bounds, _) => bounds,
        };
        match bounds {
            Ok((min, max)) => (ask.min, ask.max) = (min, max),
            Err(FaultCode::NoOptions) if choice.may_be_empty => {
                self.requests.words.truncate(branches as usize);
                return Ok(());
            }
            Err(FaultCode::NoOptions) if !is_asked => return self.close_question(choice, ask),
            Err(code) => return Err(code),
        }
        self.add_question(ask, option_count, is_asked)
    }

    /// Adds the answer that counts for a player who is not asked: the default, or else passing, or else none.
    fn close_question(&mut self, choice: &Choice, mut ask: SeatQuestion) -> Result<()> {
        let branches = ask.branches as usize;
        if ask.default == NULL && !choice.pass {
            self.requests.words.truncate(branches);
            return Ok(());
        }
        // Nothing can be picked any more.
        self.requests.words.truncate(branches);
        self.requests.words.resize(branches + 4 * choice.branches.len(), 0);
        (ask.min, ask.max, ask.options) = (0, 0, 0);
        ask.record_answer(ask.default, native::DEFAULTED);
        self.requests.questions.push(ask);
        Ok(())
    }

    /// Writes the bounds of the branches into the requests' words and returns how many can be combined.
    fn branch_words(&mut self, choice: &Choice, first: usize) -> Result<usize> {
        let start = self.requests.words.len();
        self.requests.words.resize(start + 4 * choice.branches.len(), 0);
        // Children come after their parent, so go backwards: a parent is available only if enough of its
        // children are.
        for (index, branch) in choice.branches.iter().enumerate().rev() {
            let at = first + 4 * index;
            let words = &self.core.frames.regs[at..at + 4];
            let (offered, options, least, most) = (holds(words[0]), words[1], words[2], words[3]);
            let options = if options == NULL || branch.inner != BranchContent::Options { 0 } else { options };
            let inner = match branch.inner {
                BranchContent::Nothing => Ok((0, 0)),
                BranchContent::Options => {
                    bounds(least, most, self.core.board.heap.items(options)?.len(), false)
                }
                BranchContent::Branches => {
                    bounds(least, most, self.max_combined(choice, Some(index as u16), start), false)
                }
            };
            // Nothing can be picked if the greatest number is below the least.
            let is_empty = least != NULL && (0..least).contains(&most);
            let (is_available, (min, max)) = match inner {
                Ok(inner) => (offered, inner),
                Err(FaultCode::NoOptions) => (false, (0, 0)),
                Err(FaultCode::BadCount) if !offered || is_empty => (false, (0, 0)),
                Err(code) => return Err(code),
            };
            let words = [Word::from(is_available), options, Word::from(min), Word::from(max)];
            self.requests.words[start + 4 * index..][..4].copy_from_slice(&words);
        }
        Ok(self.max_combined(choice, None, start))
    }

    /// Returns how many branches of `parent` can be taken together, by the words that begin at `start`.
    fn max_combined(&self, choice: &Choice, parent: Option<u16>, start: usize) -> usize {
        let (mut alone, mut others) = (0, 0);
        for index in choice.branches_of(parent).filter(|index| self.requests.words[start + 4 * index] == 1) {
            match choice.branches[index].exclusive {
                true => alone = 1,
                false => others += 1,
            }
        }
        others.max(alone)
    }

    /// Adds a question to the request. An unchanged question keeps its id, answer and draft; any other gets a
    /// new id.
    fn add_question(&mut self, mut ask: SeatQuestion, option_count: usize, is_asked: bool) -> Result<()> {
        let choice = &self.core.program.choices[ask.choice.index()];
        let Some(request) = self.requests.stack.last().copied() else {
            return Err(FaultCode::Missing);
        };
        let others = &self.requests.questions[request.first as usize..];
        if others.iter().any(|other| other.seat == ask.seat) {
            return Err(FaultCode::BadCount);
        }
        let is_new = self.requests.old.is_empty() && self.requests.recent.is_empty();
        let known = if is_new { None } else { self.find_previous(choice, &ask) };
        let known = known.filter(|known| is_asked || known.state == QuestionState::Answered);
        if let Some(known) = known.filter(|known| self.is_still_valid(choice, known)) {
            ask.id = known.id;
            ask.state = known.state;
            ask.touched = known.touched;
            ask.has_draft = known.has_draft;
            ask.draft_is_legal = known.draft_is_legal;
            ask.how = known.how;
            ask.draft = known.draft;
            ask.answer = known.answer;
        } else if !is_asked {
            return self.close_question(choice, ask);
        } else if is_forced(choice, &ask, option_count) {
            self.answer_forced(choice, &mut ask)?;
        } else {
            self.counters.questions += 1;
            ask.id = InputId(self.counters.questions);
        }
        self.requests.questions.push(ask);
        Ok(())
    }

    /// Finds an identical question that was asked before.
    fn find_previous(&self, choice: &Choice, ask: &SeatQuestion) -> Option<SeatQuestion> {
        let same = |other: &&SeatQuestion| {
            other.choice == ask.choice
                && other.seat == ask.seat
                && (other.min, other.max, other.deadline) == (ask.min, ask.max, ask.deadline)
                && self.same_list(choice, other.options, ask.options)
        };
        let again =
            self.requests.old.iter().filter(same).find(|other| self.same_branches(choice, other, ask));
        let recent = || self.requests.recent.iter().filter(|_| choice.branches.is_empty()).find(same);
        again.or_else(recent).copied()
    }

    /// Tells whether the previous answer and draft are still valid. Only paths need the check, because their later
    /// options depend on more than the first ones, and selections that rules test.
    fn is_still_valid(&mut self, choice: &Choice, ask: &SeatQuestion) -> bool {
        let player = word::player(ask.seat);
        let mut holds = |value: Word| {
            let is_path = choice.next.is_none()
                || value == NULL
                || self.core.is_path(choice, player, ask.options, value);
            let mark = self.core.frames.mark();
            let passes = choice.tests.is_none()
                || value == NULL
                || matches!(self.core.failed_test(choice, player, value), Ok(None));
            self.core.frames.truncate_to(mark);
            is_path && passes
        };
        holds(ask.answer) && holds(ask.draft)
    }

    fn same_list(&self, choice: &Choice, a: Word, b: Word) -> bool {
        let heap = &self.core.board.heap;
        let (Some(a), Some(b)) = (heap.list(a), heap.list(b)) else {
            return a == b;
        };
        let shapes = self.core.shapes();
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| shapes.same(heap, choice.item, *a, *b))
    }

    fn same_branches(&self, choice: &Choice, old: &SeatQuestion, new: &SeatQuestion) -> bool {
        (0..choice.branches.len()).all(|index| {
            let (a, b) = (old.branches as usize + 4 * index, new.branches as usize + 4 * index);
            let old = self.requests.old_words.get(a..a + 4);
            let new = self.requests.words.get(b..b + 4);
            let (Some(old), Some(new)) = (old, new) else {
                return false;
            };
            old[0] == new[0] && old[2..] == new[2..] && self.same_list(choice, old[1], new[1])
        })
    }

    /// Answers with the only legal answer.
    fn answer_forced(&mut self, choice: &Choice, ask: &mut SeatQuestion) -> Result<()> {
        ask.answer = match choice.single {
            // Nothing is picked.
            true if ask.max == 0 => NULL,
            false if ask.max == 0 => 0,
            true => self.core.board.heap.items(ask.options)?.first().copied().unwrap_or(NULL),
            false if choice.shape == AnswerShape::Path => 0,
            false => ask.options,
        };
        ask.state = QuestionState::Answered;
        ask.how = native::FORCED;
        ask.touched = true;
        Ok(())
    }

    /// Delivers the answers if they are complete. Returns true if the match has to wait.
    pub(crate) fn deliver_answers(&mut self, dst: Reg, choice: ChoiceId) -> Result<bool> {
        let Choice { mode: how, may_be_empty, .. } = self.core.program.choices[choice.index()];
        self.requests.old.clear();
        self.requests.old_words.clear();
        let Some(request) = self.requests.stack.last_mut() else {
            return Err(FaultCode::Missing);
        };
        let asks = &self.requests.questions[request.first as usize..];
        let answered = |ask: &SeatQuestion| ask.state == QuestionState::Answered;
        let is_taken = |ask: &SeatQuestion| answered(ask) && ask.answer != NULL;
        let is_done = match how {
            AnswerMode::First => asks.iter().any(is_taken) || asks.iter().all(answered),
            _ if asks.is_empty() && may_be_empty => true,
            AnswerMode::Any if asks.is_empty() => return Err(FaultCode::NoOptions),
            AnswerMode::One if asks.is_empty() => return Err(FaultCode::NoOptions),
            AnswerMode::Any => asks.iter().any(answered),
            AnswerMode::One | AnswerMode::Each => asks.iter().all(answered),
        };
        if !is_done {
            request.state = RequestState::Waiting;
            // Runs this instruction again when an answer arrives.
            if let Some(frame) = self.core.frames.stack.last_mut() {
                frame.set_pc(frame.pc() - 1);
            }
            return Ok(true);
        }
        let first = request.first as usize;
        let result = self.result(how, first, may_be_empty)?;
        if how == AnswerMode::Any {
            self.retain_unanswered(choice, first);
        }
        self.requests.drop_top();
        self.set_reg(dst, result);
        Ok(false)
    }

    fn result(&mut self, how: AnswerMode, first: usize, may_be_empty: bool) -> Result<Word> {
        let heap = &mut self.core.board.heap;
        let asks = &self.requests.questions[first..];
        match how {
            AnswerMode::One => Ok(asks.first().map_or(NULL, |ask| ask.answer)),
            AnswerMode::First if !asks.iter().any(|ask| ask.answer != NULL) => Ok(NULL),
            _ if asks.is_empty() && may_be_empty => Ok(NULL),
            AnswerMode::Any | AnswerMode::First => {
                let is_result = |ask: &&SeatQuestion| {
                    ask.state == QuestionState::Answered && (how == AnswerMode::Any || ask.answer != NULL)
                };
                let ask = asks.iter().find(is_result);
                let (actor, value) = ask.map_or((NULL, NULL), |ask| (word::player(ask.seat), ask.answer));
                heap.new_record(&[actor, value])
            }
            AnswerMode::Each => {
                let map = heap.new_map(usize::from(self.core.board.seats))?;
                for ask in asks {
                    let record = [ask.answer, Word::from(ask.touched), symbol_word(ask.how)];
                    let record = heap.new_record(&record)?;
                    heap.put(map, usize::from(ask.seat.0), record)?;
                }
                Ok(map)
            }
        }
    }

    /// Remembers the unanswered questions, so that they keep their ids if asked again.
    fn retain_unanswered(&mut self, choice: ChoiceId, first: usize) {
        let requests = &mut *self.requests;
        requests.recent.retain(|ask| ask.choice != choice);
        if !self.core.program.choices[choice.index()].branches.is_empty() {
            return;
        }
        let open = requests.questions[first..].iter().filter(|ask| ask.state == QuestionState::Open);
        requests.recent.extend(open.map(|ask| SeatQuestion { branches: 0, ..*ask }));
    }

    /// Sets the request on top aside and lets a player leave.
    pub(crate) fn player_leaves(&mut self, seat: Seat, cause: Word) -> Result<()> {
        if let Some(request) = self.requests.stack.last_mut() {
            request.state = RequestState::Aside;
            let (at, open_pc) = (request.frame as usize, request.open_pc);
            let is_withdrawn =
                self.core.frames.withdraw_secret_question(at, self.core.program.secret_question);
            if let Some(frame) = self.core.frames.stack.get_mut(at).filter(|_| !is_withdrawn) {
                frame.set_pc(open_pc);
            }
        }
        let happening = crate::run::effects::EventHeader::of(native::PLAYER_LEFT);
        // The cause of the following events is the input, not what was running before it.
        let top = self.core.frames.stack.len().checked_sub(1);
        let was = top.map(|top| {
            let frame = &mut self.core.frames.stack[top];
            let was = frame.cause();
            frame.set_cause(0);
            was
        });
        if self.core.tables.settles {
            self.push_leave_frame()?;
        }
        let outcome = self.begin(happening, &[word::player(seat), cause], &[]);
        if let (Some(top), Some(was)) = (top, was)
            && let Some(frame) = self.core.frames.stack.get_mut(top)
        {
            frame.set_cause(was);
        }
        outcome
    }
}

/// Asks one player a question that is new, without branches, open to all and not forced. Returns false, and changes nothing,
/// if another part of the engine has to ask or to report a fault.
pub(crate) fn ask_plainly(
    program: &Program,
    board: &Board,
    requests: &mut Requests,
    counters: &mut Counters,
    id: ChoiceId,
    args: &[Word],
) -> bool {
    let choice = &program.choices[id.index()];
    let has_known = !requests.old.is_empty() || !requests.recent.is_empty();
    if has_known || choice.closes || !choice.branches.is_empty() {
        return false;
    }
    let arg = |n: u16| args.get(usize::from(n)).copied().unwrap_or(NULL);
    let (player, deadline) = (arg(Choice::PLAYER), arg(Choice::DEADLINE));
    let options = if arg(Choice::OPTIONS) == NULL { 0 } else { arg(Choice::OPTIONS) };
    let (Some(items), true) = (board.heap.list(options), board.is_player(player)) else { return false };
    let bounds = match choice.shape {
        AnswerShape::Slots { empty } => slot_bounds(arg(Choice::MAX), items.len(), empty, choice.pass),
        AnswerShape::Pick | AnswerShape::Order => {
            bounds(arg(Choice::MIN), arg(Choice::MAX), items.len(), choice.pass)
        }
        AnswerShape::Branches | AnswerShape::Path => return false,
    };
    let (Ok((min, max)), true) = (bounds, deadline == NULL || deadline >= 0) else { return false };
    let mut ask = SeatQuestion {
        choice: id,
        id: InputId(0),
        seat: word::seat(player),
        state: QuestionState::Open,
        touched: false,
        has_draft: false,
        draft_is_legal: false,
        how: native::CONFIRMED,
        min,
        max,
        branches: requests.words.len() as u32,
        options,
        deadline,
        default: arg(Choice::DEFAULT),
        draft: NULL,
        answer: NULL,
    };
    let Some(request) = requests.stack.last() else { return false };
    let is_asked_already =
        requests.questions[request.first as usize..].iter().any(|other| other.seat == ask.seat);
    if is_asked_already || is_forced(choice, &ask, items.len()) {
        return false;
    }
    counters.questions += 1;
    ask.id = InputId(counters.questions);
    requests.questions.push(ask);
    true
}

/// Returns the least and greatest number of picks among `options`.
fn bounds(min: Word, max: Word, options: usize, may_pass: bool) -> Result<(u32, u32)> {
    let options = u32::try_from(options).map_err(|_| FaultCode::BadCount)?;
    let given = |value: Word| -> Result<Option<u32>> {
        if value == NULL {
            return Ok(None);
        }
        Ok(Some(u32::try_from(count(value)?).unwrap_or(u32::MAX)))
    };
    let (min, max) = match (given(min)?, given(max)?) {
        (None, None) => (1, 1),
        (None, Some(max)) => (0, max),
        (Some(min), None) => (min, min.max(options)),
        (Some(min), Some(max)) => (min, max),
    };
    if min > max {
        return Err(FaultCode::BadCount);
    }
    if min > options && !may_pass {
        return Err(FaultCode::NoOptions);
    }
    Ok((min, max.min(options)))
}

fn slot_bounds(slots: Word, options: usize, empty: bool, may_pass: bool) -> Result<(u32, u32)> {
    let slots = if slots == NULL { options } else { count(slots)? };
    if slots > MAX_SLOTS {
        return Err(FaultCode::BadCount);
    }
    if slots > options && !empty && !may_pass {
        return Err(FaultCode::NoOptions);
    }
    Ok((slots as u32, slots as u32))
}

/// Returns the least and greatest length of a path. Whether a path of two or more steps exists is unknown
/// until it is walked, so a larger minimum requires that the player may pass or that the options stay the same.
fn path_bounds(min: Word, max: Word, options: usize, choice: &Choice) -> Result<(u32, u32)> {
    let may_pass = choice.pass;
    let min = if min == NULL { 0 } else { count(min)? };
    let max = if max == NULL { usize::MAX } else { count(max)? };
    if min > max || max > Choice::MAX_PATH as usize || (min > 1 && !may_pass && !choice.repeats) {
        return Err(FaultCode::BadCount);
    }
    if min > 0 && options == 0 && !may_pass {
        return Err(FaultCode::NoOptions);
    }
    Ok((min as u32, max as u32))
}

/// Tells whether exactly one answer is legal and giving it reveals nothing.
fn is_forced(choice: &Choice, ask: &SeatQuestion, options: usize) -> bool {
    let may = !choice.secret && !choice.pass && !choice.always_ask && choice.mode != AnswerMode::Any;
    let all = ask.min as usize >= options;
    match choice.shape {
        AnswerShape::Pick => may && (all || ask.max == 0),
        AnswerShape::Order => may && (all && options <= 1 || ask.max == 0),
        AnswerShape::Path => may && (options == 0 || ask.max == 0),
        AnswerShape::Slots { .. } | AnswerShape::Branches => false,
    }
}
