//! The page, as a reader and as a browser has it.

use super::*;
use crate::openapi::document;
use serde_json::json;

#[test]
fn every_operation_has_a_place_a_request_and_a_link() {
    let document = document();
    let (page, _) = render(&document);
    let endpoints = endpoints(&document);
    assert!(endpoints.len() >= 14);
    for endpoint in endpoints {
        let id = endpoint.id();
        assert!(page.contains(&format!("<article id=\"{id}\">")), "{id}");
        assert!(page.contains(&format!("<a href=\"#{id}\">")), "{id}");
        assert!(endpoint.curl(&document).starts_with("curl "), "{id}");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let (page, _) = render(&document());
    for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
    }
    let mut ids: Vec<_> =
        page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "a place is named twice");
}

#[test]
fn nothing_comes_from_outside_and_nothing_inline_is_unhashed() {
    let (page, policy) = render(&document());
    for foreign in ["=\"http", "=\"//", " src=", " style=", " onclick=", "@import", "url("] {
        let found =
            page.match_indices(foreign).next().map(|(at, _)| &page[at..(at + 60).min(page.len())]);
        assert_eq!(found, None, "{foreign}");
    }
    assert_eq!((page.matches("<style").count(), page.matches("<script").count()), (1, 1));
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    assert!(policy.contains(&format!("style-src 'sha256-{hash}'")));
    assert!(!policy.contains("unsafe") && policy.starts_with("default-src 'none'"));
}

#[test]
fn what_the_document_says_is_escaped() {
    let hostile = "<script>alert(1)</script>\"'&";
    let document = json!({
        "info": {"title": hostile, "description": hostile},
        "tags": [{"name": hostile, "description": hostile}],
        "paths": {hostile: {"get": {
            "operationId": hostile, "summary": hostile, "description": hostile, "tags": [hostile],
            "parameters": [{"name": hostile, "in": "query", "description": hostile,
                "schema": {"type": "string", "enum": [hostile], "default": hostile}}],
            "responses": {hostile: {"description": hostile, "headers": {hostile: {}},
                "content": {hostile: {"schema": {"$ref": hostile}, "example": hostile}}}},
        }}},
        "components": {"schemas": {hostile: {"description": hostile, "pattern": hostile}}},
    });
    let (page, _) = render(&document);
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    assert!(!page.contains("alert(1)</script>"));
}

#[test]
fn a_request_can_be_pasted() {
    let document = document();
    let find = |id: &str| {
        let endpoints = endpoints(&document);
        endpoints.iter().find(|it| it.id() == id).unwrap().curl(&document)
    };
    insta::assert_snapshot!(find("deleteSubmission"), @r#"
    curl -X DELETE "$BASE/v1/submissions/sub_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f" \
      -H "X-API-Key: $KEY"
    "#);
    insta::assert_snapshot!(find("createKey"), @r#"
    curl "$BASE/account/keys" \
      -H "x-sheaf-csrf: 1" \
      -b "sheaf=$SESSION" \
      -H "Content-Type: application/json" -d '{"name":"Nightly export","mode":"live"}'
    "#);
}
