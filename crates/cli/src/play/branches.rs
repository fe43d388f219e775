//! Branches on the screen, and parsing of typed branches: `2.1` is the first branch within the second.

use intermezzo_engine::PendingQuestion;
use intermezzo_program::BranchContent;
use serde_json::Value;

use crate::out::{KEY, Out, say};
use crate::play::names::EntityNames;
use crate::play::question::{labels, no_option, numbers, show_options};
use intermezzo_matchfile::sentences::clean;

/// Available branch.
pub(crate) struct BranchView {
    pub(crate) index: u16,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) options: Vec<String>,
    /// Minimum and maximum number of picks among its options or inner branches.
    pub(crate) bounds: (u32, u32),
    /// Inner branches, if it contains branches instead of options.
    pub(crate) branches: Option<Vec<BranchView>>,
}

/// Branch picked on a typed line.
struct TypedBranch {
    place: usize,
    picks: Vec<i32>,
    inner: Vec<TypedBranch>,
}

impl BranchView {
    /// Reads the branches below a parent from an observer's prompt.
    pub(crate) fn all(
        pending: &PendingQuestion<'_>,
        parent: Option<u16>,
        shown: &Value,
        names: &EntityNames,
    ) -> Vec<BranchView> {
        let shown = shown["branches"].as_array().into_iter().flatten();
        shown.filter_map(|shown| BranchView::new(pending, parent, shown, names)).collect()
    }

    fn new(
        pending: &PendingQuestion<'_>,
        parent: Option<u16>,
        shown: &Value,
        names: &EntityNames,
    ) -> Option<BranchView> {
        let (program, choice) = (pending.program(), pending.choice());
        let id = shown["id"].as_str()?;
        let index =
            choice.branches_of(parent).find(|index| program.symbol(choice.branches[*index].id) == id)?;
        let standing = pending.branch(index)?;
        let title = shown["title"].as_str().filter(|title| !title.is_empty());
        let index = index as u16;
        let branches = || BranchView::all(pending, Some(index), shown, names);
        Some(BranchView {
            index,
            id: id.to_owned(),
            title: clean(title.unwrap_or(id)),
            options: labels(&shown["options"], names),
            bounds: (standing.min, standing.max),
            branches: (standing.inner == BranchContent::Branches).then(branches),
        })
    }

    /// Returns whether the branch contains options or inner branches.
    pub(crate) fn has_contents(&self) -> bool {
        !self.options.is_empty() || self.branches.is_some()
    }

    /// Finds the branch with that number at any depth.
    pub(crate) fn numbered(offers: &[BranchView], index: i64) -> Option<&BranchView> {
        BranchView::find(offers, &|offer| i64::from(offer.index) == index)
    }

    /// Finds the first match, outer branches before inner ones.
    pub(crate) fn find<'o>(
        offers: &'o [BranchView],
        fits: &dyn Fn(&BranchView) -> bool,
    ) -> Option<&'o BranchView> {
        offers.iter().find_map(|offer| match fits(offer) {
            true => Some(offer),
            false => BranchView::find(offer.branches.as_deref().unwrap_or_default(), fits),
        })
    }
}

/// Prints branches with their numbers and contents.
pub(crate) fn show(out: &mut Out, offers: &[BranchView], indent: &str, outer: &str) {
    for (place, offer) in offers.iter().enumerate() {
        let number = format!("{outer}{}", place + 1);
        say!(out, "{indent}{KEY}{number:>2}{KEY:#}  {}", offer.title);
        let indent = format!("{indent}    ");
        show_options(out, &indent, &offer.options);
        show(out, offer.branches.as_deref().unwrap_or_default(), &indent, &format!("{number}."));
    }
}

/// Parses a line such as `1: 2,3; 2.1`.
pub(crate) fn parse(offers: &[BranchView], line: &str) -> Result<Vec<(u16, Vec<i32>)>, String> {
    let mut typed = Vec::new();
    if line != "-" {
        for part in line.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            add_part(offers, part, &mut typed)?;
        }
    }
    let mut taken = Vec::new();
    flatten(offers, &typed, "", &mut taken)?;
    Ok(taken)
}

/// Adds the branches of one part, with their picks after a colon.
fn add_part(offers: &[BranchView], part: &str, typed: &mut Vec<TypedBranch>) -> Result<(), String> {
    let (words, picks) = part.split_once(':').unwrap_or((part, ""));
    for word in words.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        let (path, last) = find_path(offers, word)?;
        let entry = entry_at(offers, typed, &path);
        match &last.branches {
            Some(own) if !picks.trim().is_empty() => add_part(own, picks, &mut entry.inner)?,
            Some(_) => {}
            None => entry.picks = numbers(picks, &last.options, false)?,
        }
    }
    Ok(())
}

/// Finds the path to a branch: `2.1`, `trade.sell`, or a name that only one branch has.
fn find_path<'o>(offers: &'o [BranchView], word: &str) -> Result<(Vec<usize>, &'o BranchView), String> {
    if let Some(place) = place_of(offers, word) {
        return Ok((vec![place], &offers[place]));
    }
    let titles: Vec<String> = offers.iter().map(|offer| offer.title.clone()).collect();
    let Some((first, rest)) = word.split_once('.') else {
        let mut deeper = Vec::new();
        paths_to(offers, word, &mut Vec::new(), &mut deeper);
        return match deeper.len() {
            0 => Err(no_option(word, &titles)),
            1 => Ok(deeper.remove(0)),
            _ => Err(format!("several branches are called `{word}`; give a number such as `2.1`")),
        };
    };
    let place = place_of(offers, first).ok_or_else(|| no_option(first, &titles))?;
    let own = offers[place].branches.as_deref();
    let own = own.ok_or_else(|| format!("`{}` has no inner branches", offers[place].title))?;
    let (mut path, last) = find_path(own, rest).map_err(|why| format!("{}: {why}", offers[place].title))?;
    path.insert(0, place);
    Ok((path, last))
}

fn place_of(offers: &[BranchView], word: &str) -> Option<usize> {
    let titles: Vec<String> = offers.iter().map(|offer| offer.title.clone()).collect();
    let by_title = numbers(word, &titles, false).ok().and_then(|places| places.first().copied());
    let by_id = || offers.iter().position(|offer| offer.id.eq_ignore_ascii_case(word));
    by_title.and_then(|place| usize::try_from(place).ok()).or_else(by_id)
}

/// Collects the paths to all branches with that name below the first level.
fn paths_to<'o>(
    offers: &'o [BranchView],
    name: &str,
    before: &mut Vec<usize>,
    found: &mut Vec<(Vec<usize>, &'o BranchView)>,
) {
    for (place, offer) in offers.iter().enumerate() {
        let is_named = offer.id.eq_ignore_ascii_case(name)
            || offer.title.split(' ').next().is_some_and(|word| word.eq_ignore_ascii_case(name));
        before.push(place);
        if is_named && before.len() > 1 {
            found.push((before.clone(), offer));
        }
        paths_to(offer.branches.as_deref().unwrap_or_default(), name, before, found);
        before.pop();
    }
}

/// Returns the entry at the end of a path, creating it if needed. A branch without inner branches gets a
/// second entry if typed twice, so that the engine rejects it.
fn entry_at<'t>(
    offers: &[BranchView],
    typed: &'t mut Vec<TypedBranch>,
    path: &[usize],
) -> &'t mut TypedBranch {
    let (place, rest) = (path[0], &path[1..]);
    let own = offers[place].branches.as_deref();
    let known = typed.iter().position(|entry| entry.place == place && own.is_some());
    let at = known.unwrap_or(typed.len());
    if known.is_none() {
        typed.push(TypedBranch { place, picks: Vec::new(), inner: Vec::new() });
    }
    match own.filter(|_| !rest.is_empty()) {
        Some(own) => entry_at(own, &mut typed[at].inner, rest),
        None => &mut typed[at],
    }
}

/// Flattens the typed branches; inner branches follow their parent.
fn flatten(
    offers: &[BranchView],
    typed: &[TypedBranch],
    outer: &str,
    taken: &mut Vec<(u16, Vec<i32>)>,
) -> Result<(), String> {
    for entry in typed {
        let offer = &offers[entry.place];
        let number = format!("{outer}{}", entry.place + 1);
        let (min, max) = offer.bounds;
        let (given, own, example) = match offer.branches {
            Some(_) => (entry.inner.len(), "inner branches", format!("{number}.1")),
            None => (entry.picks.len(), "options", format!("{number}: 1")),
        };
        if !(min as usize..=max as usize).contains(&given) {
            let wanted = if min == max { min.to_string() } else { format!("{min} to {max}") };
            return Err(format!("`{}` needs {wanted} of its {own}, e.g. `{example}`", offer.title));
        }
        taken.push((offer.index, entry.picks.clone()));
        let own = offer.branches.as_deref().unwrap_or_default();
        flatten(own, &entry.inner, &format!("{number}."), taken)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(index: u16, title: &str, options: &[&str], bounds: (u32, u32)) -> BranchView {
        let (id, title) = (title.to_lowercase(), title.to_owned());
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        BranchView { index, id, title, options, bounds, branches: None }
    }

    fn nested(index: u16, title: &str, bounds: (u32, u32), branches: Vec<BranchView>) -> BranchView {
        BranchView { branches: Some(branches), ..offer(index, title, &[], bounds) }
    }

    /// Rest; Trade (Buy some of three, Sell, Haggle (High, Low)).
    fn offers() -> Vec<BranchView> {
        let haggle = vec![offer(5, "High", &[], (0, 0)), offer(6, "Low", &[], (0, 0))];
        let trade = vec![
            offer(2, "Buy", &["oak", "elm", "ash"], (1, 2)),
            offer(3, "Sell", &[], (0, 0)),
            nested(4, "Haggle", (1, 1), haggle),
        ];
        vec![offer(0, "Rest", &[], (0, 0)), nested(1, "Trade", (1, 2), trade)]
    }

    #[test]
    fn inner_branches_are_typed_after_a_dot_or_a_colon() {
        let none = Vec::new;
        let both = Ok(vec![(1, none()), (2, vec![2]), (3, none())]);
        assert_eq!(parse(&offers(), "2.1: 3; 2.2"), both);
        assert_eq!(parse(&offers(), "trade.buy: ash; trade.sell"), both);
        assert_eq!(parse(&offers(), "buy: ash; sell"), both);
        assert_eq!(parse(&offers(), "2: 1: 3; 2: 2"), both);
        assert_eq!(parse(&offers(), "2; 2.1: 3; 2.2"), both);
        let deep = Ok(vec![(1, none()), (4, none()), (6, none())]);
        assert_eq!(parse(&offers(), "2.3.2"), deep);
        assert_eq!(parse(&offers(), "low"), deep);
        assert_eq!(parse(&offers(), "1"), Ok(vec![(0, none())]));
        assert_eq!(parse(&offers(), "1,1"), Ok(vec![(0, none()), (0, none())]));
        assert_eq!(parse(&offers(), "-"), Ok(none_taken()));
    }

    fn none_taken() -> Vec<(u16, Vec<i32>)> {
        Vec::new()
    }

    #[test]
    fn invalid_lines_are_explained_before_anything_is_sent() {
        let why = |line: &str| parse(&offers(), line).unwrap_err();
        assert_eq!(why("2"), "`Trade` needs 1 to 2 of its inner branches, e.g. `2.1`");
        assert_eq!(why("2.1"), "`Buy` needs 1 to 2 of its options, e.g. `2.1: 1`");
        assert_eq!(why("2.3"), "`Haggle` needs 1 of its inner branches, e.g. `2.3.1`");
        assert_eq!(why("2.9"), "Trade: no option `9`; options are numbered 1 to 3");
        assert_eq!(why("1.1"), "`Rest` has no inner branches");
        assert!(why("nothing").contains("no option `nothing`"));
        for odd in ["2.", ".", "2..1", ":", "2:", "2.1:9", "99999999999999999999.1", "2.3.1.1", ";;", "2.1:;"]
        {
            let _ = parse(&offers(), odd);
        }
    }
}
