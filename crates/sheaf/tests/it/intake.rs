//! Intake of submissions by the real server, and the commands for intake settings and spam.

use crate::server::{HttpResponse, Server};
use crate::test_env::{TestEnv, expect_success};
use serde_json::{Value, json};

const HTML: &str = "Accept: text/html,application/xhtml+xml,*/*;q=0.8";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

fn start_with_form(more: &str) -> (TestEnv, String, Server) {
    let env = TestEnv::with_account();
    let form = env.form("--field Name --field Score:number");
    let server = Server::start(&env, &format!("serve {more}"));
    (env, form, server)
}

fn submit(server: &Server, form: &str, headers: &[&str], body: &str) -> HttpResponse {
    server.ask("POST", &format!("/f/{form}"), headers, body)
}

fn newest_submission(env: &TestEnv, server: &Server, form: &str) -> Value {
    let key = env.key("live");
    let page = server.get(&format!("/v1/forms/{form}/submissions?limit=1"), &key);
    page.json()["data"][0].clone()
}

#[test]
fn scripts_and_html_forms_submit() {
    for command in ["serve", "service"] {
        let env = TestEnv::with_account();
        let form = env.form("--field Name --field Score:number");
        let server = Server::start(&env, command);
        let accepted = submit(&server, &form, &[], r#"{"Name":"Ada","Score":4.50}"#);
        assert_eq!(accepted.status, 201, "{}", accepted.text());
        assert_eq!(newest_submission(&env, &server, &form)["id"], accepted.json()["data"]["id"]);
        let page = submit(&server, &form, &[FORM, HTML], "Name=Ada+L.&Score=5");
        assert_eq!(page.status, 303, "{}", page.text());
        let thanks = server.ask("GET", &format!("/f/{form}/thanks"), &[HTML], "");
        assert!(thanks.text().contains("Thank you"), "{}", thanks.text());
        let answers = newest_submission(&env, &server, &form)["answers"].clone();
        assert_eq!(answers, json!({"Name": "Ada L.", "Score": 5}));
        let lost = submit(&server, "frm_lost", &[], "{}");
        assert_eq!((lost.status, &lost.json()["error"]), (404, &json!("not_found")));
        assert_eq!(env.count(&form), 2);
    }
}

#[test]
fn intake_command_configures_running_server() {
    let (env, form, server) = start_with_form("");
    let shown = env.run(&format!("form intake {form}"));
    assert!(shown.contains("ORIGINS        any"), "{shown}");
    let set = format!(
        "form intake {form} --redirect https://a.example/thanks --redirect https://b.example \
         --origin https://a.example --seconds-min 3 --learn on --address-limit none \
         --form-limit 1000 --honeypot off --json"
    );
    let intake = env.json(&set);
    assert_eq!(
        intake,
        json!({
            "redirects": ["https://a.example/thanks", "https://b.example"],
            "origins": ["https://a.example"],
            "seconds_min": 3,
            "honeypot": false,
            "learns_fields": true,
            "address_limit": null,
            "form_limit": 1000,
        })
    );
    let body = "Name=Ada&_redirect=https://a.example/thanks&New=x&_gotcha=x";
    let redirected = submit(&server, &form, &[FORM, HTML, "Origin: https://a.example"], body);
    assert_eq!(redirected.status, 303, "{}", redirected.text());
    assert!(redirected.head.to_lowercase().contains("location: https://a.example/thanks"));
    assert_eq!(submit(&server, &form, &["Origin: https://c.example"], "{}").status, 403);
    let reset =
        env.json(&format!("form intake {form} --redirect none --origin any --learn auto --json"));
    assert_eq!((&reset["redirects"], &reset["origins"]), (&json!([]), &json!([])));
    assert_eq!((&reset["learns_fields"], &reset["seconds_min"]), (&Value::Null, &json!(3)));
    let wrong = env.fail(&format!("form intake {form} --origin a.example"));
    assert!(wrong.contains("`a.example`"), "{wrong}");
    assert_eq!(env.json(&format!("form intake {form} --json")), reset);
}

#[test]
fn intake_command_closes_and_opens_form() {
    let (env, form, server) = start_with_form("");
    let set = |more: &str| {
        let mut command = env.command(&format!("form intake {form} {more}"));
        command.args(["--closed-message", "Come back in May"]);
        expect_success(&command.output().unwrap())
    };
    let shown = set("--closed on --closes-after 100");
    insta::assert_snapshot!(shown.split_once("FORM LIMIT").unwrap().1.trim(), @r"
    30000 in 15 minutes
    CLOSED          on
    CLOSES AT       never
    CLOSES AFTER    100
    CLOSED MESSAGE  Come back in May
    ");
    let refused = submit(&server, &form, &[], r#"{"Name":"x"}"#);
    assert_eq!(refused.status, 403);
    insta::assert_snapshot!(refused.text(), @r#"{"error":"forbidden","message":"Come back in May"}"#);
    let audit = env.run("audit export --account a@example.com");
    assert!(audit.contains(r#""closed":true"#), "{audit}");
    let open = format!("form intake {form} --closed off --closes-after none --json");
    let mut command = env.command(&open);
    command.args(["--closed-message", ""]);
    let open: Value = serde_json::from_str(&expect_success(&command.output().unwrap())).unwrap();
    assert_eq!(open["closing"], Value::Null);
    let wrong = env.command(&format!("form intake {form} --closes-at soon")).output().unwrap();
    let wrong = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.contains("or `never`, but is `soon`"), "{wrong}");
    let wrong = env.fail(&format!("form intake {form} --closes-after 0"));
    assert!(wrong.contains("`closes_after` must be from 1"), "{wrong}");
}

#[test]
fn spam_commands_list_release_and_delete() {
    let (env, form, server) = start_with_form("");
    let mut ids: Vec<String> = Vec::new();
    for n in 0..3 {
        let body = format!(r#"{{"Name":"buy {n}","_gotcha":"x"}}"#);
        let answer = submit(&server, &form, &[], &body);
        ids.push(answer.json()["data"]["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(env.count(&form), 0);
    let list = env.run(&format!("spam list --form {form}"));
    assert!(
        list.contains(&ids[0]) && list.contains("honeypot") && list.contains("buy 0"),
        "{list}"
    );
    let list = env.json(&format!("spam list --form {form} --json"));
    assert_eq!(list.as_array().unwrap().len(), 3);
    assert_eq!(list[0]["submission"]["id"], ids[2].as_str());
    env.run(&format!("spam release --form {form} {}", ids[1]));
    assert_eq!(env.count(&form), 1);
    assert_eq!(newest_submission(&env, &server, &form)["answers"], json!({"Name": "buy 1"}));
    let wrong = env.fail(&format!("spam release --form {form} {}", ids[1]));
    assert!(wrong.contains("has no spam with the id"), "{wrong}");
    assert_eq!(env.run(&format!("spam delete --form {form} {}", ids[0])), "1 deleted");
    assert_eq!(env.run(&format!("spam delete --form {form} --all")), "1 deleted");
    assert_eq!(env.json(&format!("spam list --form {form} --json")), json!([]));
}

#[test]
fn spam_list_includes_all_pages() {
    let env = TestEnv::with_account();
    let names: Vec<_> = (0..8).map(|n| format!("Text{n}")).collect();
    let fields: Vec<_> = names.iter().map(|name| format!("--field {name}")).collect();
    let form = env.form(&fields.join(" "));
    let server = Server::start(&env, "serve");
    // The store ends a page of spam at 2 MiB, so these rows fill two pages.
    let long = "x".repeat(30_000);
    let mut answers = json!({ "_gotcha": "x" });
    for name in &names {
        answers[name] = json!(long);
    }
    let body = answers.to_string();
    let sent: Vec<Value> = (0..10)
        .map(|_| {
            let answer = submit(&server, &form, &[], &body);
            assert_eq!(answer.status, 201, "{}", answer.text());
            answer.json()["data"]["id"].clone()
        })
        .collect();
    let list = env.json(&format!("spam list --form {form} --json"));
    let ids = list.as_array().unwrap().iter().rev().map(|spam| spam["submission"]["id"].clone());
    assert_eq!(ids.collect::<Vec<_>>(), sent);
    let table = env.run(&format!("spam list --form {form}"));
    assert_eq!(table.lines().count(), 1 + sent.len());
}

#[test]
fn country_comes_from_geoip_or_header() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/country.mmdb");
    let (env, form, server) = start_with_form(&format!("--behind-tls --geoip-db {file}"));
    let country = |headers: &[&str]| {
        let answer = submit(&server, &form, headers, r#"{"Name":"x"}"#);
        assert_eq!(answer.status, 201, "{}", answer.text());
        newest_submission(&env, &server, &form)["metadata"]["ip_country"].clone()
    };
    assert_eq!(country(&["X-Forwarded-For: 81.2.69.142"]), "GB");
    assert_eq!(country(&["X-Forwarded-For: 81.2.69.142, 216.160.83.56"]), "US");
    assert_eq!(country(&["CF-IPCountry: SE"]), Value::Null);
    let (env, form, server) = start_with_form("--behind-tls --country-header CF-IPCountry");
    let answer = submit(&server, &form, &["cf-ipcountry: SE"], r#"{"Name":"x"}"#);
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(newest_submission(&env, &server, &form)["metadata"]["ip_country"], "SE");
    let wrong = env.fail("serve --country-header CF-IPCountry --listen 127.0.0.1:0");
    assert!(wrong.contains("--behind-tls"), "{wrong}");
}
