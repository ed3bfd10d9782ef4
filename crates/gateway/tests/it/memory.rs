//! Accounts, sessions, keys and a clock in memory: what the gateway is given in these tests.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use contract::account::Client;
use contract::audit::Act;
use contract::{Account, AccountId, Environment, Plan, Timestamp};
use gateway::{Accounts, Clock, Keys, Secret, SessionRecord, SignInRecord, StoreError};

pub(crate) const EMAIL: &str = "ada@example.org";
pub(crate) const PASSWORD: &str = "plain old stapler";
pub(crate) const LIVE_KEY: &str = "svc_sk_live_CANARYcanaryCANARYcanary";
pub(crate) const TEST_KEY: &str = "svc_sk_test_CANARYcanaryCANARYcanary";

pub(crate) fn account() -> Account {
    let id = "acc_ada".parse().unwrap();
    Account { id, email: EMAIL.to_owned(), plan: Plan::Pro }
}

/// The store.
pub(crate) struct Memory {
    pub(crate) hash: Mutex<Option<String>>,
    pub(crate) closed: Mutex<bool>,
    pub(crate) links: Mutex<HashMap<[u8; 32], Timestamp>>,
    pub(crate) sessions: Mutex<HashMap<[u8; 32], (SessionRecord, Client)>>,
    pub(crate) touches: Mutex<usize>,
    pub(crate) broken: Mutex<bool>,
    /// What was to be noted.
    pub(crate) acts: Mutex<Vec<Act>>,
}

impl Default for Memory {
    fn default() -> Self {
        static HASH: std::sync::LazyLock<String> =
            std::sync::LazyLock::new(|| gateway::password::hash(PASSWORD).unwrap());
        Self {
            hash: Mutex::new(Some(HASH.clone())),
            closed: Mutex::default(),
            links: Mutex::default(),
            sessions: Mutex::default(),
            touches: Mutex::default(),
            broken: Mutex::default(),
            acts: Mutex::default(),
        }
    }
}

impl Memory {
    fn works(&self) -> Result<(), StoreError> {
        if *self.broken.lock().unwrap() { Err(StoreError("disk on fire".into())) } else { Ok(()) }
    }
}

#[async_trait]
impl Accounts for Memory {
    async fn find_by_email(&self, email: &str) -> Result<Option<SignInRecord>, StoreError> {
        self.works()?;
        let record = || SignInRecord {
            account: account(),
            password_hash: self.hash.lock().unwrap().clone(),
        };
        let no_password = || SignInRecord { account: account(), password_hash: None };
        Ok(match email {
            EMAIL => Some(record()),
            "nopassword@example.org" => Some(no_password()),
            _ => None,
        })
    }

    async fn find_account(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        self.works()?;
        let open = !*self.closed.lock().unwrap();
        Ok(Some(account()).filter(|account| open && account.id == *id))
    }

    async fn redeem_link(
        &self,
        token_hash: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<Account>, StoreError> {
        self.works()?;
        let end = self.links.lock().unwrap().remove(&token_hash);
        Ok(end.filter(|end| now < *end).map(|_| account()))
    }

    fn noting(self: std::sync::Arc<Self>, act: Act) -> std::sync::Arc<dyn Accounts> {
        self.acts.lock().unwrap().push(act);
        self
    }

    fn note_soon(&self, act: Act) {
        self.acts.lock().unwrap().push(act);
    }

    fn client(&self, user_agent: &str) -> Client {
        Client { browser: Some(user_agent.to_owned()), ..Client::default() }
    }

    async fn insert_session(
        &self,
        session: SessionRecord,
        client: Client,
    ) -> Result<(), StoreError> {
        self.works()?;
        self.sessions.lock().unwrap().insert(session.token_hash, (session, client));
        Ok(())
    }

    async fn list_sessions(
        &self,
        account: &AccountId,
    ) -> Result<Vec<(SessionRecord, Client)>, StoreError> {
        self.works()?;
        let sessions = self.sessions.lock().unwrap();
        let of_it = sessions.values().filter(|(session, _)| session.account_id == *account);
        let mut all: Vec<_> = of_it.cloned().collect();
        all.sort_by_key(|(session, _)| std::cmp::Reverse(session.seen_at));
        Ok(all)
    }

    async fn find_session(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<SessionRecord>, StoreError> {
        self.works()?;
        let found = self.sessions.lock().unwrap().get(&token_hash).cloned();
        Ok(found.map(|(session, _)| session))
    }

    async fn touch_session(&self, hash: [u8; 32], seen_at: Timestamp) -> Result<(), StoreError> {
        self.works()?;
        *self.touches.lock().unwrap() += 1;
        if let Some((session, _)) = self.sessions.lock().unwrap().get_mut(&hash) {
            session.seen_at = seen_at;
        }
        Ok(())
    }

    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        self.works()?;
        self.sessions.lock().unwrap().remove(&token_hash);
        Ok(())
    }

    async fn delete_other_sessions(
        &self,
        account: &AccountId,
        kept: [u8; 32],
    ) -> Result<(), StoreError> {
        self.works()?;
        let is_kept =
            |hash: &_, session: &SessionRecord| session.account_id != *account || *hash == kept;
        self.sessions.lock().unwrap().retain(|hash, (session, _)| is_kept(hash, session));
        Ok(())
    }

    async fn set_password(&self, account: &AccountId, hash: String) -> Result<(), StoreError> {
        self.works()?;
        *self.hash.lock().unwrap() = Some(hash);
        self.sessions.lock().unwrap().retain(|_, (session, _)| session.account_id != *account);
        self.links.lock().unwrap().clear();
        Ok(())
    }
}

/// Keys for some environments.
pub(crate) struct Ring(pub(crate) Vec<Environment>);

#[async_trait]
impl Keys for Ring {
    async fn key_for(
        &self,
        account: &AccountId,
        environment: Environment,
    ) -> Result<Option<Secret>, StoreError> {
        assert_eq!(account.as_str(), "acc_ada");
        let key = match environment {
            Environment::Live => LIVE_KEY,
            Environment::Test => TEST_KEY,
        };
        Ok(self.0.contains(&environment).then(|| Secret::new(key.to_owned())))
    }

    fn environments(&self) -> Vec<Environment> {
        self.0.clone()
    }
}

/// A clock that stands still until it is moved.
pub(crate) struct Frozen(AtomicI64);

impl Default for Frozen {
    fn default() -> Self {
        Self(AtomicI64::new(1_800_000_000))
    }
}

impl Frozen {
    pub(crate) fn pass(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for Frozen {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst) * 1000).unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}
