//! What stands before a dot, as far as the words alone tell it.

use intermezzo_ruleset::{KindId, Program, Type, TypeId, Zone};

/// What has members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Receiver {
    /// `options`
    Options,
    /// An entity of a kind; the match and players are such, too.
    Of(KindId),
    /// An entity of some kind that is not known.
    Thing,
    /// A list or a zone, and what one of it is.
    Many(Box<Receiver>),
    /// A value that has no members.
    Plain,
    /// Nothing that could be told.
    Unknown,
}

/// Methods that give one of a list, and those that give a list of the same.
const ONE: &[&str] = &["first", "last", "top", "bottom", "only"];
const SAME: &[&str] = &["where", "sort_by", "present", "distinct"];

/// What the last expression of `written` is, which ends before a dot.
pub(super) fn receiver(program: &Program, written: &str) -> Receiver {
    let mut links = links(written).into_iter();
    let Some(first) = links.next() else { return Receiver::Unknown };
    links.fold(start(program, &first), |so_far, link| member(program, so_far, &link))
}

/// One word of a chain such as `players[0].hand.first!`.
#[derive(Debug)]
struct Link {
    name: String,
    is_called: bool,
    is_indexed: bool,
}

/// The chain of words that a text ends with, the first first.
fn links(written: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut rest = written;
    loop {
        let mut link = Link { name: String::new(), is_called: false, is_indexed: false };
        rest = rest.trim_end_matches(['!', '?']);
        while let Some(inner) = rest.strip_suffix([')', ']']) {
            link.is_called |= rest.ends_with(')');
            link.is_indexed |= rest.ends_with(']');
            let Some(open) = opening(inner) else { return Vec::new() };
            rest = inner[..open].trim_end_matches(['!', '?']);
        }
        let word = rest.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        link.name = rest[word.len()..].to_owned();
        if link.name.is_empty() {
            return Vec::new();
        }
        found.push(link);
        match word.strip_suffix('.') {
            Some(before) => rest = before,
            None => break,
        }
    }
    found.reverse();
    found
}

/// Where the bracket is opened that is closed after `inner`.
fn opening(inner: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in inner.char_indices().rev() {
        match letter {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => return Some(at),
            '(' | '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn start(program: &Program, link: &Link) -> Receiver {
    let player = Receiver::Of(KindId::PLAYER);
    match link.name.as_str() {
        "options" => Receiver::Options,
        "match" => Receiver::Of(KindId::MATCH),
        "you" | "actor" => player,
        "next" | "prev" | "opponent" if link.is_called => player,
        "players" if link.is_indexed => player,
        "players" => Receiver::Many(Box::new(player)),
        name if !link.is_called => match zone(program, name) {
            Some(_) if link.is_indexed => Receiver::Thing,
            Some(_) => Receiver::Many(Box::new(Receiver::Thing)),
            None => Receiver::Unknown,
        },
        _ => Receiver::Unknown,
    }
}

fn member(program: &Program, of: Receiver, link: &Link) -> Receiver {
    let name = link.name.as_str();
    let found = match of {
        Receiver::Many(one) if ONE.contains(&name) => *one,
        Receiver::Many(one) if SAME.contains(&name) => Receiver::Many(one),
        Receiver::Of(_) | Receiver::Thing if name == "owner" || name == "controller" => {
            Receiver::Of(KindId::PLAYER)
        }
        Receiver::Of(kind) => match prop(program, kind, name) {
            Some(ty) => of_type(program, ty),
            None if zone(program, name).is_some() => Receiver::Many(Box::new(Receiver::Thing)),
            None => Receiver::Unknown,
        },
        _ => Receiver::Unknown,
    };
    match found {
        Receiver::Many(one) if link.is_indexed => *one,
        found => found,
    }
}

fn prop(program: &Program, kind: KindId, name: &str) -> Option<TypeId> {
    let prop = program.prop_of(kind, program.symbol_named(name)?)?;
    Some(program.props[prop.index()].ty)
}

fn zone<'a>(program: &'a Program, name: &str) -> Option<&'a Zone> {
    program.zones.iter().find(|zone| program.symbol(zone.name) == name)
}

fn of_type(program: &Program, ty: TypeId) -> Receiver {
    match &program.types[ty.index()] {
        Type::Kind(kind) => Receiver::Of(*kind),
        Type::Entity => Receiver::Thing,
        Type::List(item) => Receiver::Many(Box::new(of_type(program, *item))),
        Type::Zone => Receiver::Many(Box::new(Receiver::Thing)),
        Type::Int | Type::Bool | Type::Symbol | Type::Enum(_) | Type::Text => Receiver::Plain,
        _ => Receiver::Unknown,
    }
}
