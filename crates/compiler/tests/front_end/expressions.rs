//! Parsing of expressions: precedence and spans.

use intermezzo_compiler::expr::{
    self, Arg, BinaryOp, Expr, ExprKind, TypeExpr, UnaryOp, parse_param, parse_type,
};

use crate::{parse, text, yaml};

/// Returns the expression with brackets around every operation.
fn shape(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Dice { count, sides } => format!("{count}d{sides}"),
        ExprKind::Text(text) => format!("'{text}'"),
        ExprKind::True => "true".to_owned(),
        ExprKind::False => "false".to_owned(),
        ExprKind::Null => "null".to_owned(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Call { name, args } => format!("{}({})", name.text, shapes(args)),
        ExprKind::Method { target, name, args, has_parens, null_safe } => {
            let dot = if *null_safe { "?." } else { "." };
            let args = if *has_parens { format!("({})", shapes(args)) } else { String::new() };
            format!("{}{dot}{}{args}", shape(target), name.text)
        }
        ExprKind::Index { target, index } => format!("{}[{}]", shape(target), shape(index)),
        ExprKind::Assert(target) => format!("{}!", shape(target)),
        ExprKind::List(items) => {
            format!("[{}]", items.iter().map(shape).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Record(fields) => {
            let field =
                |(name, value): &(expr::SpannedName, Expr)| format!("{}: {}", name.text, shape(value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Unary { op: UnaryOp::Not, operand } => format!("(not {})", shape(operand)),
        ExprKind::Unary { op: UnaryOp::Neg, operand } => format!("(-{})", shape(operand)),
        ExprKind::Binary { op, left, right, .. } => {
            format!("({} {} {})", shape(left), op.symbol(), shape(right))
        }
        ExprKind::Is { target, name } => format!("({} is {})", shape(target), name.text),
        ExprKind::If { cond, then, otherwise } => {
            format!("(if {} then {} else {})", shape(cond), shape(then), shape(otherwise))
        }
    }
}

fn shapes(args: &[Arg]) -> String {
    let arg = |arg: &Arg| match &arg.param {
        Some(param) => format!("{} => {}", param.text, shape(&arg.body)),
        None => shape(&arg.body),
    };
    args.iter().map(arg).collect::<Vec<_>>().join(", ")
}

#[test]
fn operators_bind_as_the_grammar_says() {
    let cases = [
        ("a or b and c", "(a or (b and c))"),
        ("not a and b", "((not a) and b)"),
        ("not a == b", "(not (a == b))"),
        ("not x is player", "(not (x is player))"),
        ("not (x is player)", "(not (x is player))"),
        ("a and not b", "(a and (not b))"),
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a * b / c % d", "(((a * b) / c) % d)"),
        ("-a.b * c", "((-a.b) * c)"),
        ("- -a", "(-(-a))"),
        ("a + b < c - d", "((a + b) < (c - d))"),
        ("a ?? b or c", "(a ?? (b or c))"),
        ("a ?? b ?? c", "((a ?? b) ?? c)"),
        ("(a ?? b) + 1", "((a ?? b) + 1)"),
        ("a not in b and c in d", "((a not in b) and (c in d))"),
        ("if a then b else if c then d else e ?? f", "(if a then b else (if c then d else (e ?? f)))"),
        ("a == b and c != d", "((a == b) and (c != d))"),
    ];
    for (written, meant) in cases {
        assert_eq!(shape(&parse(written)), meant, "{written}");
    }
}

#[test]
fn every_kind_of_value_is_parsed() {
    let values = [
        "12",
        "2d20",
        "'text'",
        "true",
        "null",
        "f()",
        "f(x, p => (p + 1))",
        "a.b",
        "a.b()",
        "a?.b",
        "a.in(b)",
        "a[(i + 1)]!.c",
        "[]",
        "[1, [2]]",
        "{}",
        "{a: 1, then: {b: c}}",
        "players.where(it.hp).first",
        "dice(2, 6)",
        "_x1",
        "größe",
    ];
    for value in values {
        assert_eq!(shape(&parse(value)), value);
    }
}

#[test]
fn a_doubled_quote_in_a_text_is_one() {
    assert!(matches!(parse("'it''s'").kind, ExprKind::Text(text) if text == "it's"));
}

#[test]
fn spans_reach_through_the_escapes_of_the_file() {
    let read = yaml("é: \"♥\"\nk: \"ä == 'it\\u0027\\x27s' and b.c(d)\"\n");
    let expr = expr::parse(read.text("k")).unwrap();
    let ExprKind::Binary { op: BinaryOp::And, left, right, op_span } = &expr.kind else {
        panic!("{expr:#?}");
    };
    assert_eq!(read.at(left.span), "ä == 'it\\u0027\\x27s'");
    assert_eq!(read.at(*op_span), "and");
    assert_eq!(read.at(right.span), "b.c(d)");
}

#[test]
fn a_span_covers_all_of_its_expression() {
    let read = yaml("k: (a + b).c not in d\n");
    let expr = expr::parse(read.text("k")).unwrap();
    let ExprKind::Binary { left, right, op_span, .. } = &expr.kind else { panic!("{expr:#?}") };
    assert_eq!(read.at(expr.span), "(a + b).c not in d");
    assert_eq!(read.at(left.span), "(a + b).c");
    assert_eq!(read.at(*op_span), "not in");
    assert_eq!(read.at(right.span), "d");
}

#[test]
fn part_of_a_text_can_be_an_expression() {
    let read = yaml("k: \"{player} loses {amount + 1}\"\n");
    let expr = expr::parse_at(read.text("k"), 16..26).unwrap();
    assert_eq!(shape(&expr), "(amount + 1)");
    assert_eq!(read.at(expr.span), "amount + 1");
}

#[test]
fn types_nest() {
    for written in ["int", "list<maybe<card>>", "map<player, list<int>>"] {
        assert_eq!(parse_type(&text(written)).unwrap().to_source(), written);
    }
}

#[test]
fn a_parameter_may_have_a_default() {
    let (kind, default): (TypeExpr, _) = parse_param(&text("list<int> = [1, 2 + 3]")).unwrap();
    assert_eq!(kind.to_source(), "list<int>");
    assert_eq!(shape(&default.unwrap()), "[1, (2 + 3)]");
    assert!(parse_param(&text("int")).unwrap().1.is_none());
    assert!(parse_param(&text("list<int>=[]")).unwrap().1.is_some());
}
