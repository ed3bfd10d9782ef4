//! Credentials of a request: every state of an API key and of a session.

use super::fixture::{AccountFixture, MODES, TwoAccounts};
use super::routes::{Access, Route};

/// Owner and validity of an API key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyState {
    /// No key, or a value that was never a key.
    None,
    /// A revoked key.
    Revoked,
    /// A key of another account.
    Stranger,
    /// A key of the account for the other environment.
    OtherMode,
    /// A valid key of the account.
    Owner,
}

/// Credentials of one request.
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub(super) struct Credentials {
    pub(super) name: &'static str,
    pub(super) headers: Vec<String>,
    pub(super) key: KeyState,
    pub(super) is_signed_in: bool,
    /// Whether the session is the owner's. Owners only read here.
    pub(super) is_owner: bool,
    /// Whether the request does not look like the dashboard's, so that the CSRF check refuses it.
    pub(super) is_cross_site: bool,
    /// Whether the path names the environment that the form does not belong to.
    pub(super) uses_other_mode: bool,
}

const CSRF_HEADER: &str = "x-sheaf-csrf: 1";

impl Credentials {
    fn new(name: &'static str, headers: &[String]) -> Self {
        Self {
            name,
            headers: headers.iter().cloned().chain([CSRF_HEADER.to_owned()]).collect(),
            key: KeyState::None,
            is_signed_in: false,
            is_owner: false,
            is_cross_site: false,
            uses_other_mode: false,
        }
    }

    fn with_key(self, key: KeyState) -> Self {
        Self { key, ..self }
    }

    fn signed_in(self) -> Self {
        Self { is_signed_in: true, ..self }
    }

    fn into_owner_case(self) -> Self {
        Self { is_signed_in: true, is_owner: true, ..self }
    }

    fn cross_site(mut self, header: &str) -> Self {
        self.headers.retain(|line| line != CSRF_HEADER);
        self.headers.push(header.to_owned());
        Self { is_cross_site: true, ..self }
    }

    /// Whether a route accepts these credentials as the owner's.
    pub(super) fn is_authorized(&self, route: &Route) -> bool {
        match route.access {
            Access::Key => self.key == KeyState::Owner,
            Access::KeyOwn => matches!(self.key, KeyState::Owner | KeyState::OtherMode),
            _ => self.is_signed_in && self.is_owner && !self.is_cross_site,
        }
    }

    /// Whether the route is requested in this state. Owners only read, so that any change is caused
    /// by the attacker.
    pub(super) fn is_tested(&self, route: &Route) -> bool {
        !self.is_authorized(route) || matches!(route.method, "GET" | "OPTIONS")
    }

    /// Returns the environment for the path.
    pub(super) fn request_mode(&self, mode: &'static str) -> &'static str {
        if self.uses_other_mode { other_mode(mode) } else { mode }
    }

    /// Returns the headers with another session cookie.
    pub(super) fn with_cookie(&self, cookie: &str) -> Vec<String> {
        let fresh = |line: &String| {
            if line.starts_with("Cookie: ") { format!("Cookie: {cookie}") } else { line.clone() }
        };
        self.headers.iter().map(fresh).collect()
    }
}

fn other_mode(mode: &str) -> &'static str {
    if mode == MODES[0] { MODES[1] } else { MODES[0] }
}

fn key_header(secret: &str) -> String {
    format!("X-API-Key: {secret}")
}

fn cookie_header(cookie: &str) -> String {
    format!("Cookie: {cookie}")
}

/// Returns the key header of an owner for an environment.
fn key_of(owner: &AccountFixture, mode: &str) -> String {
    key_header(&owner.keys[usize::from(mode != MODES[0])])
}

/// Changes the last character of a key, which belongs to its checksum.
fn mistype(secret: &str) -> String {
    let last = if secret.ends_with('0') { "1" } else { "0" };
    format!("{}{last}", &secret[..secret.len() - 1])
}

/// Returns a well-formed key of no account of this database.
fn unknown_key(mode: &str) -> String {
    use store::keys::generate_key;
    let at = contract::Timestamp::from_micros(1_800_000_000_000_000).unwrap();
    let new = contract::NewKey::unrestricted("a key", mode.parse().unwrap());
    let (_, secret) = generate_key(new, at).unwrap();
    secret.expose().to_owned()
}

/// Returns all states for the victim's objects in an environment.
pub(super) fn all_states(fixture: &TwoAccounts, mode: &'static str) -> Vec<Credentials> {
    let TwoAccounts { victim, attacker, .. } = fixture;
    [key_states(victim, attacker, mode), session_states(fixture, mode)]
        .into_iter()
        .flatten()
        .collect()
}

fn key_states(
    victim: &AccountFixture,
    attacker: &AccountFixture,
    mode: &'static str,
) -> Vec<Credentials> {
    let victim_key = key_of(victim, mode);
    let secret = &victim_key["X-API-Key: ".len()..];
    let new = Credentials::new;
    vec![
        new("no credentials", &[]),
        new("an empty key", &[key_header("")]),
        new("a value that is not a key", &[key_header("let me in")]),
        new("a key in capitals", &[key_header(&secret.to_uppercase())]),
        new("a mistyped key", &[key_header(&mistype(secret))]),
        new("an unknown key", &[key_header(&unknown_key(mode))]),
        new(
            "a key that names the other environment",
            &[key_header(&secret.replace(mode, other_mode(mode)))],
        ),
        new("keys of both accounts", &[victim_key.clone(), key_of(attacker, mode)]),
        new("a key as a bearer token", &[format!("Authorization: Bearer {secret}")]),
        new("a key in a cookie", &[format!("Cookie: x-api-key={secret}; sheaf={secret}")]),
        new("the victim's revoked key", &[key_header(&victim.revoked)]).with_key(KeyState::Revoked),
        new("the attacker's revoked key", &[key_header(&attacker.revoked)])
            .with_key(KeyState::Revoked),
        new("the attacker's live key", &[key_header(&attacker.keys[0])])
            .with_key(KeyState::Stranger),
        new("the attacker's test key", &[key_header(&attacker.keys[1])])
            .with_key(KeyState::Stranger),
        new("the victim's key of the other environment", &[key_of(victim, other_mode(mode))])
            .with_key(KeyState::OtherMode),
        new("the victim's own key", &[victim_key]).with_key(KeyState::Owner),
    ]
}

fn session_states(fixture: &TwoAccounts, mode: &str) -> Vec<Credentials> {
    let TwoAccounts { victim, attacker, ended_sessions: ended, .. } = fixture;
    let new = Credentials::new;
    let victim_cookie = cookie_header(&victim.cookie);
    let mine = cookie_header(&attacker.cookie);
    let known = [
        format!("X-Forwarded-User: {}@example.com", victim.name),
        format!("X-Account-Id: {}", victim.account),
        "X-Forwarded-For: 127.0.0.1".to_owned(),
        "X-HTTP-Method-Override: GET".to_owned(),
    ];
    let both = format!("{victim_cookie}; {}", attacker.cookie);
    vec![
        new("an invalid cookie", &[cookie_header("sheaf=let-me-in")]),
        new("an unknown session", &[cookie_header(&format!("sheaf={}", "x".repeat(43)))]),
        new("the victim's idle session", &[cookie_header(&ended[0])]),
        new("the victim's old session", &[cookie_header(&ended[1])]),
        new("the victim's signed-out session", &[cookie_header(&ended[2])]),
        new("two sessions", &[both]),
        new("identity headers without a session", &known),
        new("the victim's session without the CSRF header", std::slice::from_ref(&victim_cookie))
            .into_owner_case()
            .cross_site("Accept: */*"),
        new("the victim's session from another site", std::slice::from_ref(&victim_cookie))
            .into_owner_case()
            .cross_site("Sec-Fetch-Site: cross-site"),
        new("the attacker's session", std::slice::from_ref(&mine)).signed_in(),
        new(
            "the attacker's session with identity headers",
            &[std::slice::from_ref(&mine), &known].concat(),
        )
        .signed_in(),
        new("the attacker's session with the victim's key", &[mine, key_of(victim, mode)])
            .signed_in()
            .with_key(KeyState::Owner),
        new("the victim's session", std::slice::from_ref(&victim_cookie)).into_owner_case(),
        Credentials {
            uses_other_mode: true,
            ..new("the victim's session for the other environment", &[victim_cookie])
                .into_owner_case()
        },
    ]
}
