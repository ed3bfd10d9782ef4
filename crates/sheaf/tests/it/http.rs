//! Behaviour of `serve`, `service` and `gateway`, tested by raw HTTP.

use crate::server::Server;
use crate::test_env::TestEnv;

fn sign_in(server: &Server, token: &str) -> crate::server::HttpResponse {
    server.dashboard("POST", "/session", "", &format!("{{\"token\":\"{token}\"}}"))
}

#[test]
fn sign_in_link_works_once() {
    let env = TestEnv::with_account();
    let server = Server::start(&env, "serve");
    let token = env.sign_in_token();
    let answer = sign_in(&server, &token);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["data"]["account"]["email"], "a@example.com");
    assert_eq!(answer.json()["data"]["managed"], true);
    assert_eq!(sign_in(&server, &token).status, 401);
    let cookie = answer.cookie();
    assert!(cookie.starts_with("sheaf="), "{cookie}");
    let session = server.dashboard("GET", "/session", &cookie, "").json();
    assert_eq!(session["data"]["account"]["email"], "a@example.com");

    let link = env.run(&format!(
        "account sign-in-link --account a@example.com --url http://{}/",
        server.address
    ));
    let (base, token) = link.split_once("/sign-in#token=").unwrap();
    assert_eq!(base, format!("http://{}", server.address));
    assert_eq!(sign_in(&server, token).status, 200);
    assert_eq!(sign_in(&server, token).status, 401);
}

#[test]
fn serve_runs_api_gateway_and_account_routes() {
    let env = TestEnv::with_account();
    let form = env.form("");
    env.run(&format!("sample --form {form} --count 3 --seed 1"));
    let key = env.key("live");
    let server = Server::start(&env, "serve");
    let list = format!("/v1/forms/{form}/submissions");
    assert_eq!(server.get(&list, &key).json()["pagination"]["total"], 3);
    assert_eq!(server.ask("GET", "/v1", &[], "").status, 401);
    assert_eq!(server.get("/v1/nothing", &key).json()["error"], "not_found");

    let token = env.sign_in_token();
    let cookie = sign_in(&server, &token).cookie();
    let through = server.dashboard("GET", &format!("/api/live{list}"), &cookie, "");
    assert_eq!(through.json()["pagination"]["total"], 3);
    assert!(!through.head.contains("svc_sk_") && !through.text().contains("svc_sk_"));
    let forms = server.dashboard("GET", "/account/forms", &cookie, "");
    assert_eq!(forms.json()["data"][0]["id"], form);
    assert_eq!(server.dashboard("GET", "/account/forms", "", "").status, 401);

    let new = r#"{"name":"From the dashboard","mode":"test"}"#;
    let created = server.dashboard("POST", "/account/keys", &cookie, new);
    assert_eq!(created.status, 201, "{}", created.text());
    let listed = env.run("key list --account a@example.com");
    assert!(listed.contains("From the dashboard"));
}

#[test]
fn password_signs_in() {
    let env = TestEnv::new();
    let create = env.command("account create --email a@example.com --plan pro --password-stdin");
    crate::test_env::expect_success(&crate::test_env::run_with_input(
        create,
        b"a walrus in winter\n",
    ));
    let server = Server::start(&env, "serve");
    let body = r#"{"email":"A@example.com","password":"a walrus in winter"}"#;
    assert_eq!(server.dashboard("POST", "/session", "", body).status, 200);
    let body = body.replace("walrus", "badger");
    assert_eq!(server.dashboard("POST", "/session", "", &body).status, 401);
}

#[test]
fn server_without_accounts_prints_first_step() {
    let env = TestEnv::new();
    let mut server = Server::start(&env, "serve");
    assert!(server.line().starts_with("there is no account yet; create one with `sheaf account"));
    assert_eq!(env.run("account list --json"), "[]", "the server created an account");
}

/// The output of a service is stored in a journal or a container log, so it must not contain a
/// link.
#[test]
fn service_prints_no_sign_in_link() {
    let env = TestEnv::with_account();
    let advice = |arguments: &str, email: &str| {
        let mut server = Server::spawn(env.command(arguments));
        let url = format!("http://{}", server.address);
        let expected = format!("`sheaf account sign-in-link --account {email} --url {url}`");
        let line = server.line();
        assert!(line.ends_with(&expected), "{arguments}: {line}");
        server.signal("TERM");
        let rest = server.rest();
        assert!(!rest.contains("#token=") && !server.end().contains("#token="), "{rest}");
    };
    advice("serve --listen 127.0.0.1:0", "a@example.com");
    let key = env.secret("live.key", "svc_sk_live_abc");
    let gateway =
        format!("gateway --upstream http://127.0.0.1:9 --key-live-file {key} --listen 127.0.0.1:0");
    advice(&gateway, "a@example.com");
    // Other machines can reach this address.
    advice("serve --sample --listen 0.0.0.0:0", "a@example.com");
}

#[test]
fn terminal_start_prints_sign_in_link() {
    let env = TestEnv::with_account();
    let server = env.command("serve --listen 127.0.0.1:0");
    let mut words: Vec<_> = vec![server.get_program().to_str().unwrap()];
    words.extend(server.get_args().map(|word| word.to_str().unwrap()));
    // `script` runs the command in a pseudo-terminal.
    let mut terminal = std::process::Command::new("script");
    let line = format!("exec {} 2>/dev/null", words.join(" "));
    terminal.args(["--quiet", "--flush", "--command", &line, "/dev/null"]);
    terminal.envs(server.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut server = Server::spawn(terminal);
    let token = server.printed_token();
    assert_eq!(sign_in(&server, &token).status, 200);
}

#[test]
fn sample_data_is_created_once() {
    let env = TestEnv::new();
    let mut server = Server::start(&env, "serve --sample");
    let token = server.printed_token();
    assert_eq!(sign_in(&server, &token).status, 200);
    let list = "form list --account owner@example.com --json";
    let forms = env.json(list);
    let counts: Vec<_> = forms
        .as_array()
        .unwrap()
        .iter()
        .map(|form| (form["mode"].to_string(), form["submission_count"].as_u64().unwrap()))
        .collect();
    let live = "\"live\"".to_owned();
    assert_eq!(counts, [(live.clone(), 5000), (live, 400), ("\"test\"".to_owned(), 60)]);
    drop(server);
    let mut server = Server::start(&env, "serve --sample");
    let token = server.printed_token();
    assert_eq!(sign_in(&server, &token).status, 200);
    assert_eq!(env.json(list), forms);
}

#[test]
fn cookies_behind_tls_are_secure() {
    let env = TestEnv::with_account();
    for more in ["--behind-tls", "--public-url https://forms.example.com/"] {
        let server = Server::start(&env, &format!("serve {more}"));
        let link = env.run("account sign-in-link --account a@example.com");
        let answer = sign_in(&server, link.split_once("token=").unwrap().1);
        assert!(answer.cookie().starts_with("__Host-Http-sheaf="), "{}", answer.head);
        assert!(answer.head.contains("Secure"));
    }
}

#[test]
fn gateway_forwards_to_other_server() {
    let upstream_env = TestEnv::with_account();
    let form = upstream_env.form("");
    upstream_env.run(&format!("sample --form {form} --count 3 --seed 1"));
    let upstream = Server::start(&upstream_env, "service");
    let gateway_env = TestEnv::with_account();
    let file = gateway_env.secret("key", &format!("{}\n", upstream_env.key("live")));
    let server = Server::start(
        &gateway_env,
        &format!("gateway --upstream http://{} --key-live-file {file}", upstream.address),
    );
    let token = gateway_env.sign_in_token();
    let answer = sign_in(&server, &token);
    let session = &answer.json()["data"];
    assert_eq!(
        (&session["modes"], &session["managed"]),
        (&serde_json::json!(["live"]), &false.into())
    );
    let path = |mode: &str| format!("/api/{mode}/v1/forms/{form}/submissions");
    let list = server.dashboard("GET", &path("live"), &answer.cookie(), "");
    assert_eq!(list.json()["pagination"]["total"], 3);
    assert!(list.head.to_lowercase().contains("x-ratelimit-remaining"));
    assert_ne!(server.dashboard("GET", &path("test"), &answer.cookie(), "").status, 200);
    assert_eq!(server.dashboard("GET", "/account/forms", &answer.cookie(), "").status, 404);
    assert_eq!(upstream.dashboard("GET", "/session", "", "").status, 401);
}

#[test]
fn gateway_needs_private_file_with_key() {
    let env = TestEnv::with_account();
    let gateway = "gateway --upstream http://127.0.0.1:9";
    let file = env.secret("key", "svc_sk_live_x");
    let error = env.fail(&format!("{gateway} --key-test-file {file}"));
    assert!(error.contains("must contain only a test key") && !error.contains("live_x"), "{error}");
    let output = env.command(gateway).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let file = env.write("open", "svc_sk_live_canary");
    let printed = env.fail(&format!("{gateway} --key-live-file {file}"));
    assert!(printed.contains("`chmod 600` it") && !printed.contains("canary"), "{printed}");
}
