//! Targets written as an object: `targets: {card: {selector: hand}}` becomes `targets: [{id: card, selector: hand}]`, the
//! form that everything else reads.

use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// Keys that only rules with targets have. A property called `targets` has none of them beside it.
const RULE_KEYS: &[&str] = &["effects", "when", "preconditions", "timing", "modes", "extends", "abstract"];

/// Rewrites all targets of a document.
pub(crate) fn rewrite(node: &mut SourceNode) {
    match &mut node.value {
        NodeValue::List(items) => items.iter_mut().for_each(rewrite),
        NodeValue::Map(entries) => {
            let is_rule = entries.iter().any(|entry| RULE_KEYS.contains(&entry.key.value.as_str()));
            for entry in entries {
                if is_rule && entry.key.value == "targets" {
                    list_targets(&mut entry.value);
                }
                rewrite(&mut entry.value);
            }
        }
        _ => {}
    }
}

fn list_targets(node: &mut SourceNode) {
    let NodeValue::Map(entries) = &mut node.value else { return };
    let target = |entry: MapEntry| {
        let span = entry.key.span;
        let key = SourceText::verbatim("id", span.file, span.start);
        let id = MapEntry { key, value: SourceNode { span, value: NodeValue::Text(entry.key) } };
        let mut target = entry.value;
        match &mut target.value {
            NodeValue::Map(keys) => keys.insert(0, id),
            // `card: hand` is short for `card: {from: hand}`.
            NodeValue::Text(_) => {
                let key = SourceText::verbatim("from", target.span.file, target.span.start);
                let span = target.span;
                let from = MapEntry { key, value: target };
                return SourceNode { span, value: NodeValue::Map(vec![id, from]) };
            }
            // Reported where targets are read.
            _ => {}
        }
        target
    };
    node.value = NodeValue::List(std::mem::take(entries).into_iter().map(target).collect());
}
