//! Outline of a region of the page for assistive technology: Chromium's accessibility tree as text,
//! compared with a snapshot in `tests/e2e/aria`.
//!
//! Roles and names are computed by the browser, so a control without a name, or with a repeated
//! name, is visible in the outline. The comparison itself makes no judgement. After an intended
//! change, `INSTA_UPDATE=always cargo xtask test e2e` updates the snapshots.

use super::browser::Driver;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Patterns of values that differ from run to run, and their replacements.
const VOLATILE_PATTERNS: [(&str, &str); 10] = [
    (r"\bfrm_[0-9a-z]+", "frm_…"),
    (r"\bsvc_sk_(live|test)_[0-9A-Za-z]+", "svc_sk_${1}_…"),
    (r"…[0-9A-Za-z]{4}\b", "…last"),
    (r"\bkey_[0-9a-z]{26}\b", "key_…"),
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

/// Container roles that are replaced by their children.
const TRANSPARENT_ROLES: [&str; 7] =
    ["generic", "none", "presentation", "LayoutTableCell", "paragraph", "LabelText", "Abbr"];

/// Roles that are omitted.
const OMITTED_ROLES: [&str; 3] = ["InlineTextBox", "LineBreak", "ListMarker"];

/// Roles that are written with name, states and value, but without children.
const LEAF_ROLES: [&str; 14] = [
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

/// States that are written unless they have their default value: `none`, `false` or 0.
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

/// Major version of the Chromium that made the snapshots. Other versions compute some nodes
/// differently.
const VERSION: &str = include_str!("../aria/chromium-version");

/// Panics if the outline differs from the snapshot `file`. Skips the comparison if Chromium's major
/// version differs from the one that made the snapshots.
pub(super) async fn compare_with_snapshot(browser: &Driver, file: &str, outline: &str) {
    let version = browser.web.cdp().send_raw("Browser.getVersion", json!({})).await;
    let version = version.expect("Chromium reports its version")["product"].take();
    let major = version.as_str().and_then(|name| name.split(['/', '.']).nth(1)).unwrap_or_default();
    let is_update = std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always");
    if is_update {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/aria/chromium-version");
        std::fs::write(file, format!("{major}\n")).expect("the version can be written");
    } else if major != VERSION.trim() {
        let snapshot_version = VERSION.trim();
        super::report_skipped(&format!(
            "outline `{file}`: its snapshot is from Chromium {snapshot_version}, but this is {major}"
        ));
        return;
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../aria");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_filters(VOLATILE_PATTERNS);
    settings.bind(|| insta::assert_snapshot!(file, outline));
}

/// Returns the outline of the first region of this role and name. An empty name matches any.
pub(super) async fn outline(browser: &Driver, role: &str, name: &str) -> Option<String> {
    let cdp = browser.web.cdp();
    let answer = cdp.send_raw("Accessibility.getFullAXTree", json!({})).await;
    let nodes = answer.expect("Chromium returns its accessibility tree")["nodes"].take();
    let document = cdp.send_raw("DOM.getDocument", json!({ "depth": -1 })).await;
    let mut tree = Tree { nodes: HashMap::new(), current: HashMap::new() };
    tree.note_current(&document.expect("Chromium returns the document")["root"]);
    let nodes = nodes.as_array().expect("a list").clone();
    let is_wanted = |node: &Value| {
        node["ignored"] == json!(false)
            && node["role"]["value"] == role
            && (name.is_empty() || node["name"]["value"] == name)
    };
    let wanted = nodes.iter().find(|node| is_wanted(node)).map(node_id)?;
    tree.nodes = nodes.into_iter().map(|node| (node_id(&node), node)).collect();
    let mut out = String::new();
    tree.write_node(&wanted, 0, &mut out);
    Some(out)
}

fn node_id(node: &Value) -> String {
    node["nodeId"].as_str().expect("an id").to_owned()
}

struct Tree {
    nodes: HashMap<String, Value>,
    /// Values of `aria-current` by the node's backend id. Chromium's accessibility tree omits them.
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

    /// Writes a node and its descendants.
    fn write_node(&self, id: &str, depth: usize, out: &mut String) {
        let Some(node) = self.nodes.get(id) else { return };
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = node["name"]["value"].as_str().unwrap_or_default();
        if OMITTED_ROLES.contains(&role) {
            return;
        }
        let is_clear =
            node["ignored"] == json!(true) || TRANSPARENT_ROLES.contains(&role) && name.is_empty();
        if is_clear {
            self.write_children(node, depth, "", out);
            return;
        }
        let mut children = String::new();
        if !LEAF_ROLES.contains(&role) && role != "StaticText" {
            self.write_children(node, depth + 1, name, &mut children);
        }
        // Some regions for later messages appear with code that is loaded after the first rows.
        if role == "status" && name.is_empty() && children.is_empty() {
            return;
        }
        let role = if role == "StaticText" { "text" } else { role };
        let quoted = if name.is_empty() { String::new() } else { format!(" {name:?}") };
        let indent = "  ".repeat(depth);
        writeln!(out, "{indent}- {role}{quoted}{}", self.states(node))
            .expect("writing to a string cannot fail");
        out.push_str(&children);
    }

    /// Writes the children, except a single text that repeats the parent's name.
    fn write_children(&self, node: &Value, depth: usize, above: &str, out: &mut String) {
        let mut children_text = String::new();
        self.write_each(node, depth, &mut children_text);
        let quoted = format!("- text {above:?}");
        if children_text.trim() != quoted {
            out.push_str(&children_text);
        }
    }

    fn write_each(&self, node: &Value, depth: usize, out: &mut String) {
        let children = node["childIds"].as_array();
        for child in children.into_iter().flatten() {
            self.write_node(child.as_str().expect("an id"), depth, out);
        }
    }

    /// Returns states, value and description, each after a space.
    fn states(&self, node: &Value) -> String {
        let mut states_text = String::new();
        for property in node["properties"].as_array().into_iter().flatten() {
            let name = property["name"].as_str().unwrap_or_default();
            let value = &property["value"]["value"];
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let usual = ["false", "none", "0", "off", ""].contains(&text.as_str());
            // For these states the default value is written too: it shows that the control has the
            // state.
            let tells = ["expanded", "checked", "pressed"].contains(&name);
            let is_heading = node["role"]["value"] == "heading";
            let is_meant = match name {
                "level" => is_heading,
                // A new page moves the focus to its heading, before or after the outline is read.
                "focused" => !is_heading,
                _ => true,
            };
            if STATES.contains(&name) && is_meant && (!usual || tells) {
                let text = if text == "true" { String::new() } else { format!("={text}") };
                write!(states_text, " [{name}{text}]").expect("writing to a string cannot fail");
            }
        }
        if let Some(current) =
            node["backendDOMNodeId"].as_i64().and_then(|id| self.current.get(&id))
        {
            write!(states_text, " [current={current}]").expect("writing to a string cannot fail");
        }
        for what in ["value", "description"] {
            let text = node[what]["value"].as_str().unwrap_or_default();
            if !text.is_empty() {
                write!(states_text, " {what}={text:?}").expect("writing to a string cannot fail");
            }
        }
        states_text
    }
}
