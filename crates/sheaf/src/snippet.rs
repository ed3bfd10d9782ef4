//! How to send to a form: its address, an HTML form to paste, and a line for curl.

use contract::intake::{GOTCHA, INTAKE_PATH};
use contract::{Field, FieldType, Form};
use std::fmt::Write as _;

/// Returns what `sheaf form show` prints below a form.
pub(crate) fn snippet(form: &Form, base: &str) -> String {
    let address = format!("{base}{INTAKE_PATH}{}", form.id);
    let mut text = format!("SEND TO  {address}\n\n<form method=\"post\" action=\"{address}\">\n");
    for field in &form.fields {
        let _ = writeln!(text, "  {}", control(field));
    }
    if form.fields.is_empty() {
        text.push_str("  <label>Name <input name=\"Name\"></label>\n");
    }
    let _ = writeln!(
        text,
        "  <input name=\"{GOTCHA}\" hidden tabindex=\"-1\" autocomplete=\"off\">\n  \
         <button>Send</button>\n</form>\n"
    );
    let key = form.fields.first().map_or("Name", |field| field.key.as_str());
    let answers = serde_json::json!({ key: "Ada" }).to_string();
    let _ = write!(
        text,
        "curl {address} -H 'Content-Type: application/json' -d '{}'",
        answers.replace('\'', "'\\''")
    );
    text
}

fn control(field: &Field) -> String {
    let (name, key) = (escape(&field.name), escape(&field.key));
    let input =
        |kind: &str| format!("<label>{name} <input type=\"{kind}\" name=\"{key}\"></label>");
    match field.kind {
        FieldType::Text | FieldType::Choice | FieldType::Choices => {
            format!("<label>{name} <input name=\"{key}\"></label>")
        }
        FieldType::LongText => {
            format!("<label>{name} <textarea name=\"{key}\"></textarea></label>")
        }
        FieldType::Number => {
            format!("<label>{name} <input type=\"number\" step=\"any\" name=\"{key}\"></label>")
        }
        FieldType::Rating => {
            format!("<label>{name} <input type=\"number\" min=\"1\" name=\"{key}\"></label>")
        }
        FieldType::Boolean => input("checkbox"),
        FieldType::Email => input("email"),
        FieldType::Phone => input("tel"),
        FieldType::Url => input("url"),
        FieldType::Date => input("date"),
    }
}

/// Escapes for HTML; what would move a terminal's cursor becomes a space.
fn escape(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Environment, Timestamp};
    use insta::assert_snapshot;

    fn form(fields: &[(&str, FieldType)]) -> Form {
        let field = |(key, kind): &(&str, FieldType)| Field {
            id: "fld_1".parse().unwrap(),
            key: (*key).to_owned(),
            name: (*key).to_owned(),
            kind: *kind,
        };
        Form {
            id: "frm_1".parse().unwrap(),
            name: String::new(),
            environment: Environment::Live,
            analysis: false,
            fields: fields.iter().map(field).collect(),
            created_at: Timestamp::MIN,
            submission_count: 0,
            last_submission_at: None,
        }
    }

    #[test]
    fn each_field_gets_its_control_and_nothing_breaks_out() {
        let fields = FieldType::ALL.map(|kind| (kind.as_str(), kind));
        let shown = snippet(&form(&fields), "https://a.example");
        assert_snapshot!(shown, @r#"
        SEND TO  https://a.example/f/frm_1

        <form method="post" action="https://a.example/f/frm_1">
          <label>text <input name="text"></label>
          <label>long_text <textarea name="long_text"></textarea></label>
          <label>number <input type="number" step="any" name="number"></label>
          <label>boolean <input type="checkbox" name="boolean"></label>
          <label>choice <input name="choice"></label>
          <label>choices <input name="choices"></label>
          <label>rating <input type="number" min="1" name="rating"></label>
          <label>email <input type="email" name="email"></label>
          <label>phone <input type="tel" name="phone"></label>
          <label>url <input type="url" name="url"></label>
          <label>date <input type="date" name="date"></label>
          <input name="_gotcha" hidden tabindex="-1" autocomplete="off">
          <button>Send</button>
        </form>

        curl https://a.example/f/frm_1 -H 'Content-Type: application/json' -d '{"text":"Ada"}'
        "#);
        let evil = [("<\"'&>\u{1b}[2J", FieldType::Text)];
        assert_snapshot!(snippet(&form(&evil), "https://a.example"), @r#"
        SEND TO  https://a.example/f/frm_1

        <form method="post" action="https://a.example/f/frm_1">
          <label>&lt;&quot;'&amp;&gt; [2J <input name="&lt;&quot;'&amp;&gt; [2J"></label>
          <input name="_gotcha" hidden tabindex="-1" autocomplete="off">
          <button>Send</button>
        </form>

        curl https://a.example/f/frm_1 -H 'Content-Type: application/json' -d '{"<\"'\''&>\u001b[2J":"Ada"}'
        "#);
        let empty = snippet(&form(&[]), "https://a.example");
        assert!(empty.contains("name=\"Name\""), "{empty}");
    }
}
