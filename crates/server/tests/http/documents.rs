//! The OpenAPI and AsyncAPI documents, and the pages of `docs/` that list operations and problems.

use std::collections::BTreeSet;

use intermezzo_protocol::Code;
use serde_json::Value;

/// Collects all references of a document.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference.clone());
            }
            fields.values().for_each(|field| references(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn documents_refer_only_to_what_they_have() {
    for document in [intermezzo_server::openapi_document(), intermezzo_server::asyncapi_document()] {
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for reference in found {
            let pointer = reference.strip_prefix('#').expect("references must stay within the document");
            assert!(document.pointer(pointer).is_some(), "{reference} does not exist");
        }
    }
}

#[test]
fn both_documents_have_the_same_problem() {
    let (open, sync) = (intermezzo_server::openapi_document(), intermezzo_server::asyncapi_document());
    let problem = "/components/schemas/Problem";
    assert!(open.pointer(problem).is_some());
    assert_eq!(open.pointer(problem), sync.pointer(problem));
}

#[test]
fn operations_have_unique_ids_summaries_and_success_responses() {
    let document = intermezzo_server::openapi_document();
    let mut ids = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "duplicate operation id {id}");
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{method} {path}");
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{method} {path}");
        }
    }
    assert!(ids.contains("postMatchesIdActions"), "{ids:?}");
}

#[test]
fn the_guide_has_every_code() {
    let guide = include_str!("../../../../docs/reference/http-api.md");
    for code in Code::ALL {
        let line = format!("| `{}` | {} | {} |", code.name(), code.status(), code.title());
        assert!(guide.contains(&line), "docs/reference/http-api.md lacks: {line}");
    }
}

#[test]
fn the_guide_of_the_playground_has_every_operation_of_it() {
    let guide = include_str!("../../../../docs/how-to/playground.md");
    let document = intermezzo_server::dev_openapi_document();
    let (mut count, known) = (0, intermezzo_server::openapi_document());
    for (path, operations) in document["paths"].as_object().unwrap() {
        if known["paths"].get(path).is_some() {
            continue;
        }
        for (method, operation) in operations.as_object().unwrap() {
            let summary = operation["summary"].as_str().unwrap();
            let line = format!("| `{} {path}` | {summary} |", method.to_ascii_uppercase());
            assert!(guide.contains(&line), "docs/how-to/playground.md lacks {line}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn the_threat_model_has_a_bound_for_every_operation() {
    let page = include_str!("../../../../docs/explanation/security.md");
    let (_, section) = page.split_once("## What requests cost").expect("the page has the section");
    let (section, _) = section.split_once("\n## ").expect("another section follows");
    let document = intermezzo_server::openapi_document();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let operation = format!("`{} {path}`", method.to_ascii_uppercase());
            assert!(section.contains(&operation), "docs/explanation/security.md lacks {operation}");
        }
    }
}

#[test]
fn the_guide_has_every_operation() {
    let guide = include_str!("../../../../docs/reference/http-api.md");
    let document = intermezzo_server::openapi_document();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let operation = format!("`{} {path}`", method.to_ascii_uppercase());
            assert!(guide.contains(&operation), "docs/reference/http-api.md lacks {operation}");
        }
    }
}
