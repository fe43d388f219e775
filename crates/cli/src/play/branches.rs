//! Branches as they stand on the screen, and as they are typed: `2.1` is the first of those within the second.

use intermezzo_engine::Pending;
use intermezzo_ruleset::Inner;
use serde_json::Value;

use crate::out::{KEY, Out, say};
use crate::play::names::Names;
use crate::play::question::{labels, no_option, numbers, show_options};
use intermezzo_journal::sentences::clean;

/// A branch that can be taken.
pub(crate) struct Offer {
    pub(crate) index: u16,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) options: Vec<String>,
    /// How many of its options, or of its own branches.
    pub(crate) bounds: (u32, u32),
    /// Its own branches, if that is what there is to take in it.
    pub(crate) branches: Option<Vec<Offer>>,
}

/// A branch that was typed.
struct Typed {
    place: usize,
    picks: Vec<i32>,
    inner: Vec<Typed>,
}

impl Offer {
    /// The branches of that parent as the prompt of a witness tells them.
    pub(crate) fn all(
        pending: &Pending<'_>,
        parent: Option<u16>,
        shown: &Value,
        names: &Names,
    ) -> Vec<Offer> {
        let shown = shown["branches"].as_array().into_iter().flatten();
        shown.filter_map(|shown| Offer::new(pending, parent, shown, names)).collect()
    }

    fn new(pending: &Pending<'_>, parent: Option<u16>, shown: &Value, names: &Names) -> Option<Offer> {
        let (program, choice) = (pending.program(), pending.choice());
        let id = shown["id"].as_str()?;
        let index =
            choice.branches_of(parent).find(|index| program.symbol(choice.branches[*index].id) == id)?;
        let standing = pending.branch(index)?;
        let title = shown["title"].as_str().filter(|title| !title.is_empty());
        let index = index as u16;
        let branches = || Offer::all(pending, Some(index), shown, names);
        Some(Offer {
            index,
            id: id.to_owned(),
            title: clean(title.unwrap_or(id)),
            options: labels(&shown["options"], names),
            bounds: (standing.min, standing.max),
            branches: (standing.inner == Inner::Branches).then(branches),
        })
    }

    /// Whether there is anything to pick in it.
    pub(crate) fn has_more(&self) -> bool {
        !self.options.is_empty() || self.branches.is_some()
    }

    /// The branch with that number, wherever it is.
    pub(crate) fn numbered(offers: &[Offer], index: i64) -> Option<&Offer> {
        Offer::find(offers, &|offer| i64::from(offer.index) == index)
    }

    /// The first that fits, a branch before its own.
    pub(crate) fn find<'o>(offers: &'o [Offer], fits: &dyn Fn(&Offer) -> bool) -> Option<&'o Offer> {
        offers.iter().find_map(|offer| match fits(offer) {
            true => Some(offer),
            false => Offer::find(offer.branches.as_deref().unwrap_or_default(), fits),
        })
    }
}

/// Branches with their numbers, each with what is in it.
pub(crate) fn show(out: &mut Out, offers: &[Offer], indent: &str, outer: &str) {
    for (place, offer) in offers.iter().enumerate() {
        let number = format!("{outer}{}", place + 1);
        say!(out, "{indent}{KEY}{number:>2}{KEY:#}  {}", offer.title);
        let indent = format!("{indent}    ");
        show_options(out, &indent, &offer.options);
        show(out, offer.branches.as_deref().unwrap_or_default(), &indent, &format!("{number}."));
    }
}

/// What was typed, such as `1: 2,3; 2.1`, as an answer takes it.
pub(crate) fn parse(offers: &[Offer], line: &str) -> Result<Vec<(u16, Vec<i32>)>, String> {
    let mut typed = Vec::new();
    if line != "-" {
        for part in line.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            take(offers, part, &mut typed)?;
        }
    }
    let mut taken = Vec::new();
    flatten(offers, &typed, "", &mut taken)?;
    Ok(taken)
}

/// Takes branches, with what is picked in them after a colon.
fn take(offers: &[Offer], part: &str, typed: &mut Vec<Typed>) -> Result<(), String> {
    let (words, picks) = part.split_once(':').unwrap_or((part, ""));
    for word in words.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        let (path, last) = find_path(offers, word)?;
        let entry = enter(offers, typed, &path);
        match &last.branches {
            Some(own) if !picks.trim().is_empty() => take(own, picks, &mut entry.inner)?,
            Some(_) => {}
            None => entry.picks = numbers(picks, &last.options, false)?,
        }
    }
    Ok(())
}

/// The places that lead to what a word means: `2.1`, `trade.sell`, or a name that only one branch has.
fn find_path<'o>(offers: &'o [Offer], word: &str) -> Result<(Vec<usize>, &'o Offer), String> {
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
            _ => Err(format!("several are called `{word}`; say which by number, such as `2.1`")),
        };
    };
    let place = place_of(offers, first).ok_or_else(|| no_option(first, &titles))?;
    let own = offers[place].branches.as_deref();
    let own = own.ok_or_else(|| format!("`{}` has no alternatives of its own", offers[place].title))?;
    let (mut path, last) = find_path(own, rest).map_err(|why| format!("{}: {why}", offers[place].title))?;
    path.insert(0, place);
    Ok((path, last))
}

fn place_of(offers: &[Offer], word: &str) -> Option<usize> {
    let titles: Vec<String> = offers.iter().map(|offer| offer.title.clone()).collect();
    let by_title = numbers(word, &titles, false).ok().and_then(|places| places.first().copied());
    let by_id = || offers.iter().position(|offer| offer.id.eq_ignore_ascii_case(word));
    by_title.and_then(|place| usize::try_from(place).ok()).or_else(by_id)
}

/// All paths to branches below the first level that are called so.
fn paths_to<'o>(
    offers: &'o [Offer],
    name: &str,
    before: &mut Vec<usize>,
    found: &mut Vec<(Vec<usize>, &'o Offer)>,
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

/// The entry at the end of a path. Only what has no branches of its own is entered twice if it is typed twice.
fn enter<'t>(offers: &[Offer], typed: &'t mut Vec<Typed>, path: &[usize]) -> &'t mut Typed {
    let (place, rest) = (path[0], &path[1..]);
    let own = offers[place].branches.as_deref();
    let known = typed.iter().position(|entry| entry.place == place && own.is_some());
    let at = known.unwrap_or(typed.len());
    if known.is_none() {
        typed.push(Typed { place, picks: Vec::new(), inner: Vec::new() });
    }
    match own.filter(|_| !rest.is_empty()) {
        Some(own) => enter(own, &mut typed[at].inner, rest),
        None => &mut typed[at],
    }
}

/// Writes what was typed one after the other, what is within a branch right after it.
fn flatten(
    offers: &[Offer],
    typed: &[Typed],
    outer: &str,
    taken: &mut Vec<(u16, Vec<i32>)>,
) -> Result<(), String> {
    for entry in typed {
        let offer = &offers[entry.place];
        let number = format!("{outer}{}", entry.place + 1);
        let (min, max) = offer.bounds;
        let (given, own, example) = match offer.branches {
            Some(_) => (entry.inner.len(), "alternatives", format!("{number}.1")),
            None => (entry.picks.len(), "options", format!("{number}: 1")),
        };
        if !(min as usize..=max as usize).contains(&given) {
            let wanted = if min == max { min.to_string() } else { format!("{min} to {max}") };
            return Err(format!("`{}` takes {wanted} of its own {own}, e.g. `{example}`", offer.title));
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

    fn offer(index: u16, title: &str, options: &[&str], bounds: (u32, u32)) -> Offer {
        let (id, title) = (title.to_lowercase(), title.to_owned());
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Offer { index, id, title, options, bounds, branches: None }
    }

    fn nested(index: u16, title: &str, bounds: (u32, u32), branches: Vec<Offer>) -> Offer {
        Offer { branches: Some(branches), ..offer(index, title, &[], bounds) }
    }

    /// Rest; Trade (Buy some of three, Sell, Haggle (High, Low)).
    fn offers() -> Vec<Offer> {
        let haggle = vec![offer(5, "High", &[], (0, 0)), offer(6, "Low", &[], (0, 0))];
        let trade = vec![
            offer(2, "Buy", &["oak", "elm", "ash"], (1, 2)),
            offer(3, "Sell", &[], (0, 0)),
            nested(4, "Haggle", (1, 1), haggle),
        ];
        vec![offer(0, "Rest", &[], (0, 0)), nested(1, "Trade", (1, 2), trade)]
    }

    #[test]
    fn what_is_within_is_typed_after_a_dot_or_a_colon() {
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
    fn what_would_not_do_is_told_before_it_is_sent() {
        let why = |line: &str| parse(&offers(), line).unwrap_err();
        assert_eq!(why("2"), "`Trade` takes 1 to 2 of its own alternatives, e.g. `2.1`");
        assert_eq!(why("2.1"), "`Buy` takes 1 to 2 of its own options, e.g. `2.1: 1`");
        assert_eq!(why("2.3"), "`Haggle` takes 1 of its own alternatives, e.g. `2.3.1`");
        assert_eq!(why("2.9"), "Trade: there is no option `9`; they are numbered from 1 to 3");
        assert_eq!(why("1.1"), "`Rest` has no alternatives of its own");
        assert!(why("nothing").contains("there is no option `nothing`"));
        for odd in ["2.", ".", "2..1", ":", "2:", "2.1:9", "99999999999999999999.1", "2.3.1.1", ";;", "2.1:;"]
        {
            let _ = parse(&offers(), odd);
        }
    }
}
