//! What a screen reader is told of a part of the page: Chromium's accessibility tree as an outline,
//! compared with the one that is kept in `tests/e2e/aria`. It judges nothing itself.
//!
//! Roles and names are the browser's own, not guessed from tags: a control without a name, or one
//! whose name is said twice, stands there as such. After a change that is meant,
//! `INSTA_UPDATE=always cargo xtask test e2e` writes them anew.

use super::browser::Driver;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;

/// What differs from run to run, and what stands there in its place.
const VOLATILE: [(&str, &str); 9] = [
    (r"\bfrm_[0-9a-z]+", "frm_…"),
    (r"\bsvc_sk_(live|test)_[0-9A-Za-z]+", "svc_sk_${1}_…"),
    (r"…[0-9A-Za-z]{4}\b", "…last"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:port"),
    (r#""now""#, "\"some time ago\""),
    (
        r"\b(\d+ (sec|min|hr|days?|wk|mo|qtrs?|yr)\.? ago|last (wk|mo|yr)\.|yesterday)",
        "some time ago",
    ),
    (r"\w+day, \w+ \d+, 20(2[6-9]|[3-9]\d) at [\d:]+.[AP]M", "This very day"),
    (r"\bin \d+ s\b", "in some s"),
    (r"\bin \d+ (sec|min|hr)\.", "in some time"),
];

/// Roles that only hold others: what is inside stands in their place.
const CLEAR: [&str; 7] =
    ["generic", "none", "presentation", "LayoutTableCell", "paragraph", "LabelText", "Abbr"];

/// Roles that say nothing of their own.
const SILENT: [&str; 3] = ["InlineTextBox", "LineBreak", "ListMarker"];

/// Roles of which only name, state and value are told, and nothing that is inside.
const WHOLE: [&str; 14] = [
    "button",
    "checkbox",
    "radio",
    "menuitem",
    "menuitemradio",
    "option",
    "separator",
    "progressbar",
    "slider",
    "image",
    "textbox",
    "searchbox",
    "Date",
    "StaticText",
];

/// States that are told, where they are not as usual; `none`, `false` and 0 are.
const STATES: [&str; 16] = [
    "checked",
    "pressed",
    "selected",
    "expanded",
    "disabled",
    "invalid",
    "required",
    "readonly",
    "focused",
    "busy",
    "modal",
    "hasPopup",
    "level",
    "valuemin",
    "valuemax",
    "valuetext",
];

/// The major version of the Chromium that the outlines come from; others tell some things otherwise.
const VERSION: &str = include_str!("../aria/chromium-version");

/// Fails where the region of this role and name is not told as it is kept under `file`. Leaves the
/// comparison out in another version of Chromium than the outlines come from.
pub(super) async fn check(browser: &Driver, file: &str, outline: &str) {
    let version = browser.web.cdp().send_raw("Browser.getVersion", json!({})).await;
    let version = version.expect("Chromium tells its version")["product"].take();
    let major = version.as_str().and_then(|name| name.split(['/', '.']).nth(1)).unwrap_or_default();
    let is_update = std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always");
    if is_update {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/aria/chromium-version");
        std::fs::write(file, format!("{major}\n")).expect("the version can be written");
    } else if major != VERSION.trim() {
        let kept = VERSION.trim();
        super::leave_out(&format!(
            "outline `{file}`: it comes from Chromium {kept}, and this is {major}"
        ));
        return;
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../aria");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_filters(VOLATILE);
    settings.bind(|| insta::assert_snapshot!(file, outline));
}

/// Returns the outline of the first region of this role and name; an empty name is any.
pub(super) async fn outline(browser: &Driver, role: &str, name: &str) -> Option<String> {
    let cdp = browser.web.cdp();
    let answer = cdp.send_raw("Accessibility.getFullAXTree", json!({})).await;
    let nodes = answer.expect("Chromium gives its tree")["nodes"].take();
    let document = cdp.send_raw("DOM.getDocument", json!({ "depth": -1 })).await;
    let mut tree = Tree { nodes: HashMap::new(), current: HashMap::new() };
    tree.note_current(&document.expect("Chromium gives the document")["root"]);
    let nodes = nodes.as_array().expect("a list").clone();
    let is_wanted = |node: &Value| {
        node["ignored"] == json!(false)
            && node["role"]["value"] == role
            && (name.is_empty() || node["name"]["value"] == name)
    };
    let wanted = nodes.iter().find(|node| is_wanted(node)).map(id)?;
    tree.nodes = nodes.into_iter().map(|node| (id(&node), node)).collect();
    let mut out = String::new();
    tree.write(&wanted, 0, &mut out);
    Some(out)
}

fn id(node: &Value) -> String {
    node["nodeId"].as_str().expect("an id").to_owned()
}

struct Tree {
    nodes: HashMap<String, Value>,
    /// `aria-current`, which Chromium's tree leaves out, by the node of the document.
    current: HashMap<i64, String>,
}

impl Tree {
    fn note_current(&mut self, element: &Value) {
        let attributes = element["attributes"].as_array().map_or(&[][..], Vec::as_slice);
        let current = attributes.chunks(2).find(|pair| pair[0] == "aria-current");
        let current = current.and_then(|pair| pair[1].as_str()).filter(|value| *value != "false");
        if let (Some(current), Some(node)) = (current, element["backendNodeId"].as_i64()) {
            self.current.insert(node, current.to_owned());
        }
        let children = element["children"].as_array();
        children.into_iter().flatten().for_each(|child| self.note_current(child));
    }

    /// Writes a node and what is below it.
    fn write(&self, id: &str, depth: usize, out: &mut String) {
        let Some(node) = self.nodes.get(id) else { return };
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = node["name"]["value"].as_str().unwrap_or_default();
        if SILENT.contains(&role) {
            return;
        }
        let is_clear = node["ignored"] == json!(true) || CLEAR.contains(&role) && name.is_empty();
        if is_clear {
            self.write_children(node, depth, "", out);
            return;
        }
        let role = if role == "StaticText" { "text" } else { role };
        let quoted = if name.is_empty() { String::new() } else { format!(" {name:?}") };
        let indent = "  ".repeat(depth);
        writeln!(out, "{indent}- {role}{quoted}{}", self.states(node)).expect("a string grows");
        if !WHOLE.contains(&role) && role != "text" {
            self.write_children(node, depth + 1, name, out);
        }
    }

    /// Writes the children, save a text that only repeats the name above it.
    fn write_children(&self, node: &Value, depth: usize, above: &str, out: &mut String) {
        let mut said = String::new();
        self.write_each(node, depth, &mut said);
        let quoted = format!("- text {above:?}");
        if said.trim() != quoted {
            out.push_str(&said);
        }
    }

    fn write_each(&self, node: &Value, depth: usize, out: &mut String) {
        let children = node["childIds"].as_array();
        for child in children.into_iter().flatten() {
            self.write(child.as_str().expect("an id"), depth, out);
        }
    }

    /// Returns the states, the value and the description, each after a space.
    fn states(&self, node: &Value) -> String {
        let mut said = String::new();
        for property in node["properties"].as_array().into_iter().flatten() {
            let name = property["name"].as_str().unwrap_or_default();
            let value = &property["value"]["value"];
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let usual = ["false", "none", "0", "off", ""].contains(&text.as_str());
            // That something is closed or not chosen is news: that it could be otherwise.
            let tells = ["expanded", "checked", "pressed"].contains(&name);
            let is_heading = node["role"]["value"] == "heading";
            let is_meant = match name {
                "level" => is_heading,
                // A page that was opened has it there, or not yet.
                "focused" => !is_heading,
                _ => true,
            };
            if STATES.contains(&name) && is_meant && (!usual || tells) {
                let text = if text == "true" { String::new() } else { format!("={text}") };
                write!(said, " [{name}{text}]").expect("a string grows");
            }
        }
        if let Some(current) =
            node["backendDOMNodeId"].as_i64().and_then(|id| self.current.get(&id))
        {
            write!(said, " [current={current}]").expect("a string grows");
        }
        for what in ["value", "description"] {
            let text = node[what]["value"].as_str().unwrap_or_default();
            if !text.is_empty() {
                write!(said, " {what}={text:?}").expect("a string grows");
            }
        }
        said
    }
}
