//! Accounts, sessions, keys and a clock in memory: what the gateway is given in these tests.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
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
    hash: String,
    pub(crate) closed: Mutex<bool>,
    pub(crate) links: Mutex<HashMap<[u8; 32], Timestamp>>,
    pub(crate) sessions: Mutex<HashMap<[u8; 32], SessionRecord>>,
    pub(crate) touches: Mutex<usize>,
    pub(crate) broken: Mutex<bool>,
}

impl Default for Memory {
    fn default() -> Self {
        static HASH: std::sync::LazyLock<String> =
            std::sync::LazyLock::new(|| gateway::password::hash(PASSWORD).unwrap());
        Self {
            hash: HASH.clone(),
            closed: Mutex::default(),
            links: Mutex::default(),
            sessions: Mutex::default(),
            touches: Mutex::default(),
            broken: Mutex::default(),
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
        let record = || SignInRecord { account: account(), password_hash: Some(self.hash.clone()) };
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

    async fn insert_session(&self, session: SessionRecord) -> Result<(), StoreError> {
        self.works()?;
        self.sessions.lock().unwrap().insert(session.token_hash, session);
        Ok(())
    }

    async fn find_session(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<SessionRecord>, StoreError> {
        self.works()?;
        Ok(self.sessions.lock().unwrap().get(&token_hash).cloned())
    }

    async fn touch_session(&self, hash: [u8; 32], seen_at: Timestamp) -> Result<(), StoreError> {
        self.works()?;
        *self.touches.lock().unwrap() += 1;
        if let Some(session) = self.sessions.lock().unwrap().get_mut(&hash) {
            session.seen_at = seen_at;
        }
        Ok(())
    }

    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        self.works()?;
        self.sessions.lock().unwrap().remove(&token_hash);
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
