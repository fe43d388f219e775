//! RFC 6902 patches as a client applies them: `add`, `remove` and `replace`, preserving the order of entries.

use serde_json::Value;

pub(crate) fn apply(patch: &[Value], value: &mut Value) {
    for operation in patch {
        let path = operation["path"].as_str().unwrap();
        let new = operation.get("value").cloned();
        match operation["op"].as_str().unwrap() {
            "add" => add(value, path, new.unwrap()),
            "remove" => remove(value, path),
            "replace" => *value.pointer_mut(path).expect("nothing to replace") = new.unwrap(),
            other => panic!("unknown operation `{other}`"),
        }
    }
}

fn add(value: &mut Value, path: &str, new: Value) {
    let (parent, name) = parent(value, path);
    match parent {
        Value::Object(entries) => drop(entries.insert(name, new)),
        Value::Array(items) if name == "-" => items.push(new),
        Value::Array(items) => items.insert(name.parse().unwrap(), new),
        other => panic!("cannot add to {other}"),
    }
}

fn remove(value: &mut Value, path: &str) {
    let (parent, name) = parent(value, path);
    match parent {
        Value::Object(entries) => drop(entries.shift_remove(&name).expect("nothing to remove")),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        other => panic!("cannot remove from {other}"),
    }
}

fn parent<'a>(value: &'a mut Value, path: &str) -> (&'a mut Value, String) {
    let (parent, name) = path.rsplit_once('/').unwrap();
    (value.pointer_mut(parent).expect("parent not found"), name.replace("~1", "/").replace("~0", "~"))
}
