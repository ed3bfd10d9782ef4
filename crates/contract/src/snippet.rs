//! Examples of how to submit to a form: an HTML form and a curl command. The command line and the
//! dashboard show the same ones.

use crate::intake::{GOTCHA, INTAKE_PATH, REDIRECT};
use crate::{Field, FieldType, Form, FormId};
use std::fmt::Write as _;

/// Optional script for the page of the form. It adds the page's URL and the completion time to each
/// submission.
pub const SCRIPT: &str = r#"<script>
  addEventListener("submit", ({ target }) => {
    const facts = { _page: location.href, _elapsed_seconds: performance.now() / 1000 };
    for (const [name, value] of Object.entries(facts)) {
      const input = target.querySelector(`input[name=${name}]`) ?? document.createElement("input");
      target.append(Object.assign(input, { type: "hidden", name, value }));
    }
  });
</script>"#;

/// Returns the intake URL of a form. `base` is the public address of the server.
pub fn intake_url(form: &FormId, base: &str) -> String {
    format!("{base}{INTAKE_PATH}{form}")
}

/// Returns an HTML form with an input for each field and the honeypot.
///
/// With `redirect`, the browser goes there after the submission, if the owner of the form allows
/// it.
pub fn html_form(form: &Form, base: &str, redirect: Option<&str>) -> String {
    let mut text = format!("<form method=\"post\" action=\"{}\">\n", intake_url(&form.id, base));
    for field in &form.fields {
        let _ = writeln!(text, "  {}", html_control(field));
    }
    if form.fields.is_empty() {
        text.push_str("  <label>Name <input name=\"Name\"></label>\n");
    }
    let _ =
        writeln!(text, "  <input name=\"{GOTCHA}\" hidden tabindex=\"-1\" autocomplete=\"off\">");
    if let Some(redirect) = redirect {
        let to = escape_html(redirect);
        let _ = writeln!(text, "  <input type=\"hidden\" name=\"{REDIRECT}\" value=\"{to}\">");
    }
    text.push_str("  <button>Send</button>\n</form>");
    text
}

/// Returns a curl command that submits one answer.
pub fn curl_command(form: &Form, base: &str) -> String {
    let key = form.fields.first().map_or("Name", |field| field.key.as_str());
    let answers = serde_json::json!({ key: "Ada" }).to_string().replace('\'', "'\\''");
    let address = intake_url(&form.id, base);
    format!("curl {address} -H 'Content-Type: application/json' -d '{answers}'")
}

fn html_control(field: &Field) -> String {
    let name = escape_html(&field.name);
    let key = escape_html(&field.key);
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

/// Escapes text for HTML. Control characters, which could move a terminal's cursor, become spaces.
fn escape_html(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, Timestamp};
    use insta::assert_snapshot;

    fn form(fields: &[(&str, FieldType)]) -> Form {
        let field = |(key, kind): &(&str, FieldType)| Field {
            id: "fld_1".parse().unwrap(),
            key: (*key).to_owned(),
            name: (*key).to_owned(),
            kind: *kind,
            hidden: false,
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
            trash_days: crate::trash::DAYS_DEFAULT,
        }
    }

    #[test]
    fn fields_get_controls_and_are_escaped() {
        let fields = FieldType::ALL.map(|kind| (kind.as_str(), kind));
        let shown = form(&fields);
        assert_snapshot!(html_form(&shown, "https://a.example", None), @r#"
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
        "#);
        assert_snapshot!(curl_command(&shown, "https://a.example"), @r#"curl https://a.example/f/frm_1 -H 'Content-Type: application/json' -d '{"text":"Ada"}'"#);
        let evil = form(&[("<\"'&>\u{1b}[2J", FieldType::Text)]);
        assert_snapshot!(html_form(&evil, "https://a.example", Some("https://b.example/?a=\"&b")), @r#"
        <form method="post" action="https://a.example/f/frm_1">
          <label>&lt;&quot;'&amp;&gt; [2J <input name="&lt;&quot;'&amp;&gt; [2J"></label>
          <input name="_gotcha" hidden tabindex="-1" autocomplete="off">
          <input type="hidden" name="_redirect" value="https://b.example/?a=&quot;&amp;b">
          <button>Send</button>
        </form>
        "#);
        assert_snapshot!(curl_command(&evil, "https://a.example"), @r#"curl https://a.example/f/frm_1 -H 'Content-Type: application/json' -d '{"<\"'\''&>\u001b[2J":"Ada"}'"#);
        assert!(html_form(&form(&[]), "https://a.example", None).contains("name=\"Name\""));
    }
}
