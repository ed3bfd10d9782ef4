//! Credentials of a request: every state of an API key and of a session.

use super::routes::{Door, Route};
use super::scene::{MODES, Owner, Scene};

/// Owner and validity of an API key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnKey {
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
pub(super) struct State {
    pub(super) name: &'static str,
    pub(super) headers: Vec<String>,
    pub(super) key: OwnKey,
    pub(super) is_signed_in: bool,
    /// Whether the session is the owner's. Owners only read here.
    pub(super) is_owner: bool,
    /// Whether the request does not look like the dashboard's, so that the CSRF check refuses it.
    pub(super) is_of_elsewhere: bool,
    /// Whether the path names the environment that the form does not belong to.
    pub(super) asks_other_mode: bool,
}

const MARK: &str = "x-sheaf-csrf: 1";

impl State {
    fn new(name: &'static str, headers: &[String]) -> Self {
        Self {
            name,
            headers: headers.iter().cloned().chain([MARK.to_owned()]).collect(),
            key: OwnKey::None,
            is_signed_in: false,
            is_owner: false,
            is_of_elsewhere: false,
            asks_other_mode: false,
        }
    }

    fn key(self, key: OwnKey) -> Self {
        Self { key, ..self }
    }

    fn signed_in(self) -> Self {
        Self { is_signed_in: true, ..self }
    }

    fn owner(self) -> Self {
        Self { is_signed_in: true, is_owner: true, ..self }
    }

    fn of_elsewhere(mut self, header: &str) -> Self {
        self.headers.retain(|line| line != MARK);
        self.headers.push(header.to_owned());
        Self { is_of_elsewhere: true, ..self }
    }

    /// Whether a route accepts these credentials as the owner's.
    pub(super) fn is_let_in(&self, route: &Route) -> bool {
        match route.door {
            Door::Key => self.key == OwnKey::Owner,
            _ => self.is_signed_in && self.is_owner && !self.is_of_elsewhere,
        }
    }

    /// Whether the route is requested in this state. Owners only read, so that any change is caused
    /// by the attacker.
    pub(super) fn may_ask(&self, route: &Route) -> bool {
        !self.is_let_in(route) || matches!(route.method, "GET" | "OPTIONS")
    }

    /// Returns the environment for the path.
    pub(super) fn mode(&self, mode: &'static str) -> &'static str {
        if self.asks_other_mode { other(mode) } else { mode }
    }

    /// Returns the headers with another session cookie.
    pub(super) fn with_cookie(&self, cookie: &str) -> Vec<String> {
        let fresh = |line: &String| {
            if line.starts_with("Cookie: ") { format!("Cookie: {cookie}") } else { line.clone() }
        };
        self.headers.iter().map(fresh).collect()
    }
}

fn other(mode: &str) -> &'static str {
    if mode == MODES[0] { MODES[1] } else { MODES[0] }
}

fn key(secret: &str) -> String {
    format!("X-API-Key: {secret}")
}

fn cookie(cookie: &str) -> String {
    format!("Cookie: {cookie}")
}

/// Returns the key header of an owner for an environment.
fn key_of(owner: &Owner, mode: &str) -> String {
    key(&owner.keys[usize::from(mode != MODES[0])])
}

/// Changes the last character of a key, which belongs to its checksum.
fn mistyped(secret: &str) -> String {
    let last = if secret.ends_with('0') { "1" } else { "0" };
    format!("{}{last}", &secret[..secret.len() - 1])
}

/// Returns a well-formed key of no account of this database.
fn unknown(mode: &str) -> String {
    use store::keys::mint_key;
    let at = contract::Timestamp::from_micros(1_800_000_000_000_000).unwrap();
    let (_, secret) = mint_key("a key", mode.parse().unwrap(), at).unwrap();
    secret.expose().to_owned()
}

/// Returns all states for the victim's objects in an environment.
pub(super) fn all(scene: &Scene, mode: &'static str) -> Vec<State> {
    let Scene { victim, attacker, .. } = scene;
    [keys(victim, attacker, mode), sessions(scene, mode)].into_iter().flatten().collect()
}

fn keys(victim: &Owner, attacker: &Owner, mode: &'static str) -> Vec<State> {
    let theirs = key_of(victim, mode);
    let secret = &theirs["X-API-Key: ".len()..];
    let new = State::new;
    vec![
        new("no credentials", &[]),
        new("an empty key", &[key("")]),
        new("a value that is not a key", &[key("let me in")]),
        new("a key in capitals", &[key(&secret.to_uppercase())]),
        new("a mistyped key", &[key(&mistyped(secret))]),
        new("an unknown key", &[key(&unknown(mode))]),
        new("a key that names the other environment", &[key(&secret.replace(mode, other(mode)))]),
        new("keys of both accounts", &[theirs.clone(), key_of(attacker, mode)]),
        new("a key as a bearer token", &[format!("Authorization: Bearer {secret}")]),
        new("a key in a cookie", &[format!("Cookie: x-api-key={secret}; sheaf={secret}")]),
        new("the victim's revoked key", &[key(&victim.revoked)]).key(OwnKey::Revoked),
        new("the attacker's revoked key", &[key(&attacker.revoked)]).key(OwnKey::Revoked),
        new("the attacker's live key", &[key(&attacker.keys[0])]).key(OwnKey::Stranger),
        new("the attacker's test key", &[key(&attacker.keys[1])]).key(OwnKey::Stranger),
        new("the victim's key of the other environment", &[key_of(victim, other(mode))])
            .key(OwnKey::OtherMode),
        new("the victim's own key", &[theirs]).key(OwnKey::Owner),
    ]
}

fn sessions(scene: &Scene, mode: &str) -> Vec<State> {
    let Scene { victim, attacker, ended, .. } = scene;
    let new = State::new;
    let (theirs, mine) = (cookie(&victim.cookie), cookie(&attacker.cookie));
    let known = [
        format!("X-Forwarded-User: {}@example.com", victim.name),
        format!("X-Account-Id: {}", victim.account),
        "X-Forwarded-For: 127.0.0.1".to_owned(),
        "X-HTTP-Method-Override: GET".to_owned(),
    ];
    let both = format!("{theirs}; {}", attacker.cookie);
    vec![
        new("an invalid cookie", &[cookie("sheaf=let-me-in")]),
        new("an unknown session", &[cookie(&format!("sheaf={}", "x".repeat(43)))]),
        new("the victim's idle session", &[cookie(&ended[0])]),
        new("the victim's old session", &[cookie(&ended[1])]),
        new("the victim's signed-out session", &[cookie(&ended[2])]),
        new("two sessions", &[both]),
        new("identity headers without a session", &known),
        new("the victim's session without the CSRF header", std::slice::from_ref(&theirs))
            .owner()
            .of_elsewhere("Accept: */*"),
        new("the victim's session from another site", std::slice::from_ref(&theirs))
            .owner()
            .of_elsewhere("Sec-Fetch-Site: cross-site"),
        new("the attacker's session", std::slice::from_ref(&mine)).signed_in(),
        new(
            "the attacker's session with identity headers",
            &[std::slice::from_ref(&mine), &known].concat(),
        )
        .signed_in(),
        new("the attacker's session with the victim's key", &[mine, key_of(victim, mode)])
            .signed_in()
            .key(OwnKey::Owner),
        new("the victim's session", std::slice::from_ref(&theirs)).owner(),
        State {
            asks_other_mode: true,
            ..new("the victim's session for the other environment", &[theirs]).owner()
        },
    ]
}
