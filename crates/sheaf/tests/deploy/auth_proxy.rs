//! Sheaf behind an auth proxy: nginx with `auth_request`, Caddy with `forward_auth`, and clients
//! that forge the identity header.

use crate::proxy::{Kind, Proxy, Reply, shown};
use crate::server::Server;
use crate::test_auth_proxy::AuthProxy;
use crate::test_env::TestEnv;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const HEADER: &str = "X-Forwarded-Email";
const VICTIM: &str = "a@example.com";
/// Spellings of the identity header that a client may try.
const SPELLINGS: [&str; 7] = [
    "X-Forwarded-Email",
    "x-forwarded-email",
    "X-FORWARDED-EMAIL",
    "X_Forwarded_Email",
    "x_forwarded-email",
    "X-Forwarded_Email",
    "X-Forwarded-Email ",
];

struct AuthProxySite {
    server: Server,
    proxy: Proxy,
    _world: TestEnv,
}

impl AuthProxySite {
    fn start(kind: Kind) -> Self {
        let env = TestEnv::with_account();
        let link =
            "account link-identity --account a@example.com --issuer header:x-forwarded-email";
        env.run(&format!("{link} --subject {VICTIM}"));
        let secret = env.secret("proxy-secret", SECRET);
        let server = Server::start(
            &env,
            &format!(
                "serve --behind-tls --trusted-proxy 127.0.0.1/32 \
                 --identity-header x-forwarded-email --proxy-secret-file {secret}"
            ),
        );
        let guard = AuthProxy::start().address;
        let proxy = match kind {
            Kind::Nginx => {
                let text = format!("proxy_set_header X-Sheaf-Proxy-Secret \"{SECRET}\";\n");
                let include = env.write("secret.conf", text);
                let fill = [
                    ("127.0.0.1:4180", &*guard),
                    ("/etc/nginx/sheaf-proxy-secret.conf;", &*format!("{include};")),
                ];
                Proxy::start(kind, "nginx/forms-auth.conf", &server.address, &fill)
            }
            Kind::Caddy => {
                let fill = [("127.0.0.1:4180", &*guard), ("{$SHEAF_PROXY_SECRET}", SECRET)];
                Proxy::start(kind, "caddy/Caddyfile.auth", &server.address, &fill)
            }
        };
        Self { server, proxy, _world: env }
    }

    /// Starts the same site over a Unix socket, with the lines that the page shows for it. It needs
    /// no trusted address and no secret.
    fn start_by_socket(kind: Kind) -> Self {
        let env = TestEnv::with_account();
        let link =
            "account link-identity --account a@example.com --issuer header:x-forwarded-email";
        env.run(&format!("{link} --subject {VICTIM}"));
        let path = env.path("sheaf.sock").display().to_string();
        let server = Server::spawn(env.command(&format!(
            "serve --behind-tls --identity-header x-forwarded-email --listen 127.0.0.1:0 \
             --listen unix:{path}"
        )));
        let guard = AuthProxy::start().address;
        let page = shown("auth-proxy.md");
        let documented = |line: &str| {
            assert!(page.contains(line), "the page does not show `{line}`");
            line.replace("/run/sheaf/sheaf.sock", &path)
        };
        let proxy = match kind {
            Kind::Nginx => {
                let fill = [
                    ("127.0.0.1:4180", &*guard),
                    ("        include /etc/nginx/sheaf-proxy-secret.conf;\n", ""),
                ];
                let upstream = documented("unix:/run/sheaf/sheaf.sock");
                Proxy::start(kind, "nginx/forms-auth.conf", &upstream, &fill)
            }
            Kind::Caddy => {
                let fill = [("127.0.0.1:4180", &*guard), ("{$SHEAF_PROXY_SECRET}", "\"\"")];
                let upstream = documented("unix//run/sheaf/sheaf.sock");
                Proxy::start(kind, "caddy/Caddyfile.auth", &upstream, &fill)
            }
        };
        Self { server, proxy, _world: env }
    }

    /// Requests `/session` with headers of the client's choice.
    fn request_session(&self, headers: &[String]) -> Reply {
        let mut words = vec!["--header", "x-sheaf-csrf: 1"];
        words.extend(headers.iter().flat_map(|header| ["--header", header.as_str()]));
        self.proxy.ask("/session", &words)
    }
}

fn guest_cookie(email: &str) -> String {
    format!("Cookie: guest={email}")
}

#[track_caller]
fn check_sign_in(site: &AuthProxySite) {
    let signed_in = site.request_session(&[guest_cookie(VICTIM)]);
    assert_eq!(signed_in.status, 200, "{}{}", signed_in.head, signed_in.text());
    assert!(signed_in.text().contains(VICTIM));
    assert!(signed_in.head.contains("set-cookie: __host-"), "{}", signed_in.head);
    assert_eq!(
        site.request_session(&[guest_cookie("b@example.com")]).status,
        403,
        "an identity without an account was accepted"
    );
    // A page request is redirected to the sign-in and back; a program gets a 401.
    let page = site.proxy.ask("/live/forms/frm_1", &["--header", "Accept: text/html"]);
    assert_eq!(page.status, 302, "{}", page.head);
    let location = page.header("location").unwrap();
    assert!(location.ends_with("/oauth2/sign_in?rd=/live/forms/frm_1"), "{location}");
    let shown = site.proxy.ask("/oauth2/sign_in?rd=/live", &[]);
    assert_eq!(shown.text(), "sign in, then go to /live");
    assert_eq!(site.request_session(&[]).status, 401);
    assert_eq!(site.proxy.ask("/oauth2/auth", &["--header", &guest_cookie(VICTIM)]).status, 404);
    // Routes without sign-in are reachable without one.
    let api = site.proxy.ask("/v1/submissions/sub_1", &[]);
    assert!(api.status == 401 && api.json()["error"].is_string(), "{}", api.text());
    assert_eq!(site.proxy.ask("/openapi.json", &[]).status, 200);
    let link = site.proxy.ask("/n/ntf_1/token/confirm", &["--header", "Accept: text/html"]);
    assert_eq!(link.status, 404, "{}", link.head);
}

#[test]
fn nginx_signs_in_user_of_auth_proxy() {
    check_sign_in(&AuthProxySite::start(Kind::Nginx));
}

#[test]
fn caddy_signs_in_user_of_auth_proxy() {
    check_sign_in(&AuthProxySite::start(Kind::Caddy));
}

#[test]
fn nginx_signs_in_user_over_socket() {
    check_sign_in(&AuthProxySite::start_by_socket(Kind::Nginx));
}

#[test]
fn caddy_signs_in_user_over_socket() {
    check_sign_in(&AuthProxySite::start_by_socket(Kind::Caddy));
}

/// Threat T2: no spelling of the header gives a client another identity.
#[track_caller]
fn check_smuggling(site: &AuthProxySite) {
    let no_victim = |reply: &Reply, how: &str| {
        assert!(!reply.text().contains(VICTIM), "{how}: {}", reply.text());
        assert!(!reply.head.contains("set-cookie: __host-"), "{how}: {}", reply.head);
    };
    for spelling in SPELLINGS {
        let forged = format!("{spelling}: {VICTIM}");
        let own_secret = format!("X-Sheaf-Proxy-Secret: {SECRET}");
        for (user, is_known) in
            [(None, false), (Some("nameless"), false), (Some("b@example.com"), true)]
        {
            for secret in [None, Some(own_secret.clone())] {
                let mut headers: Vec<String> = user.map(guest_cookie).into_iter().collect();
                headers.push(forged.clone());
                headers.extend(secret);
                let reply = site.request_session(&headers);
                let how = format!("{headers:?}: {}", reply.status);
                no_victim(&reply, &how);
                let refused: &[u16] = if is_known { &[400, 403] } else { &[400, 401] };
                assert!(refused.contains(&reply.status), "{how} {}", reply.text());
            }
        }
        let twice =
            site.request_session(&[guest_cookie("b@example.com"), forged.clone(), forged.clone()]);
        no_victim(&twice, "twice");
        // Through a route without sign-in, and directly to the server.
        for path in ["/v1/../session", "/f/../session", "/f/%2e%2e/session", "/oauth2/../session"] {
            let words = ["--header", "x-sheaf-csrf: 1", "--header", &forged];
            no_victim(&site.proxy.ask(path, &words), path);
        }
        let past = site.server.ask("GET", "/session", &["x-sheaf-csrf: 1", &forged], "");
        assert!(matches!(past.status, 400 | 401), "{spelling}: {} {}", past.status, past.text());
    }
    // For a signed-in user the identity comes from the proxy, not from the client's header.
    let lie = format!("{HEADER}: b@example.com");
    let reply = site.request_session(&[guest_cookie(VICTIM), lie]);
    assert!(reply.status == 400 || reply.text().contains(VICTIM), "{}", reply.text());
}

#[test]
fn forged_identity_is_refused_behind_nginx() {
    check_smuggling(&AuthProxySite::start(Kind::Nginx));
}

#[test]
fn forged_identity_is_refused_behind_caddy() {
    check_smuggling(&AuthProxySite::start(Kind::Caddy));
}

#[test]
fn forged_identity_is_refused_behind_nginx_socket() {
    check_smuggling(&AuthProxySite::start_by_socket(Kind::Nginx));
}

#[test]
fn forged_identity_is_refused_behind_caddy_socket() {
    check_smuggling(&AuthProxySite::start_by_socket(Kind::Caddy));
}
