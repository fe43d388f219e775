//! The type of the expression before a dot, estimated from its words alone.

use intermezzo_program::{KindId, Program, Type, TypeId, Zone};

/// A value that may have members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Receiver {
    /// `options`
    Options,
    /// An entity of a known kind, including players and the match.
    Kind(KindId),
    /// An entity of unknown kind.
    Entity,
    /// A list or zone, with the type of its items.
    List(Box<Receiver>),
    /// A value without members.
    Plain,
    /// An expression that cannot be classified.
    Unknown,
}

/// Methods that return one item of a list, and methods that return a list of the same items.
const ONE: &[&str] = &["first", "last", "top", "bottom", "only"];
const SAME: &[&str] = &["where", "sort_by", "present", "distinct"];

/// Classifies the last expression of `written`, which ends before a dot.
pub(super) fn receiver(program: &Program, written: &str) -> Receiver {
    let mut links = links(written).into_iter();
    let Some(first) = links.next() else { return Receiver::Unknown };
    links.fold(root_receiver(program, &first), |so_far, link| member_receiver(program, so_far, &link))
}

/// One word of a chain such as `players[0].hand.first!`.
#[derive(Debug)]
struct ChainLink {
    name: String,
    is_called: bool,
    is_indexed: bool,
}

/// Returns the chain of words at the end of a text, in order.
fn links(written: &str) -> Vec<ChainLink> {
    let mut found = Vec::new();
    let mut rest = written;
    loop {
        let mut link = ChainLink { name: String::new(), is_called: false, is_indexed: false };
        rest = rest.trim_end_matches(['!', '?']);
        while let Some(inner) = rest.strip_suffix([')', ']']) {
            link.is_called |= rest.ends_with(')');
            link.is_indexed |= rest.ends_with(']');
            let Some(open) = opening_bracket(inner) else { return Vec::new() };
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

/// Returns the position of the bracket that is closed after `inner`.
fn opening_bracket(inner: &str) -> Option<usize> {
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

fn root_receiver(program: &Program, link: &ChainLink) -> Receiver {
    let player = Receiver::Kind(KindId::PLAYER);
    match link.name.as_str() {
        "options" => Receiver::Options,
        "match" => Receiver::Kind(KindId::MATCH),
        "you" | "actor" => player,
        "next" | "prev" | "opponent" if link.is_called => player,
        "players" if link.is_indexed => player,
        "players" => Receiver::List(Box::new(player)),
        name if !link.is_called => match zone(program, name) {
            Some(_) if link.is_indexed => Receiver::Entity,
            Some(_) => Receiver::List(Box::new(Receiver::Entity)),
            None => Receiver::Unknown,
        },
        _ => Receiver::Unknown,
    }
}

fn member_receiver(program: &Program, of: Receiver, link: &ChainLink) -> Receiver {
    let name = link.name.as_str();
    let found = match of {
        Receiver::List(one) if ONE.contains(&name) => *one,
        Receiver::List(one) if SAME.contains(&name) => Receiver::List(one),
        Receiver::Kind(_) | Receiver::Entity if name == "owner" || name == "controller" => {
            Receiver::Kind(KindId::PLAYER)
        }
        Receiver::Kind(kind) => match prop(program, kind, name) {
            Some(ty) => of_type(program, ty),
            None if zone(program, name).is_some() => Receiver::List(Box::new(Receiver::Entity)),
            None => Receiver::Unknown,
        },
        _ => Receiver::Unknown,
    };
    match found {
        Receiver::List(one) if link.is_indexed => *one,
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
        Type::Kind(kind) => Receiver::Kind(*kind),
        Type::Entity => Receiver::Entity,
        Type::List(item) => Receiver::List(Box::new(of_type(program, *item))),
        Type::Zone => Receiver::List(Box::new(Receiver::Entity)),
        Type::Int | Type::Bool | Type::Symbol | Type::Enum(_) | Type::Text => Receiver::Plain,
        _ => Receiver::Unknown,
    }
}
