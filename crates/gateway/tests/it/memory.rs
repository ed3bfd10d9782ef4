//! In-memory accounts, sessions, keys and clock for the gateway under test.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use argon2::{Argon2, Params, PasswordHasher as _};
use async_trait::async_trait;
use contract::account::ClientInfo;
use contract::audit::AuditEvent;
use contract::form_access::InvalidForms;
use contract::people::{NewPerson, PEOPLE_MAX, PersonChange};
use contract::{
    Account, AccountId, Environment, FormAccess, FormId, Person, PersonId, Plan, Role, Timestamp,
};
use gateway::{
    Accounts, AddMemberOutcome, Clock, Credentials, Keys, MemberRecord, Secret, SessionOwner,
    SessionProof, SessionRecord, SetEmailOutcome, StoreError,
};

pub(crate) const EMAIL: &str = "ada@example.org";
pub(crate) const PASSWORD: &str = "plain old stapler";
pub(crate) const LIVE_KEY: &str = "svc_sk_live_CANARYcanaryCANARYcanary";
pub(crate) const TEST_KEY: &str = "svc_sk_test_CANARYcanaryCANARYcanary";

pub(crate) fn test_account() -> Account {
    let id = "acc_ada".parse().unwrap();
    Account { id, email: EMAIL.to_owned(), plan: Plan::Pro }
}

/// Ids of the owner and of a reader.
pub(crate) const OWNER: &str = "psn_ada";
pub(crate) const READER: &str = "psn_bob";

fn member_record(id: &str, email: &str, role: Role, password_hash: Option<String>) -> MemberRecord {
    let person = Person {
        id: id.parse().unwrap(),
        email: email.to_owned(),
        role,
        has_password: password_hash.is_some(),
        created_at: Timestamp::MIN,
        forms: None,
    };
    MemberRecord { account: test_account(), person, password_hash }
}

/// Accounts in memory.
pub(crate) struct MemoryAccounts {
    pub(crate) people: Mutex<Vec<MemberRecord>>,
    pub(crate) links: Mutex<HashMap<[u8; 32], (PersonId, Timestamp)>>,
    pub(crate) sessions: Mutex<HashMap<[u8; 32], (SessionRecord, ClientInfo)>>,
    pub(crate) touches: Mutex<usize>,
    pub(crate) broken: Mutex<bool>,
    /// A password hash that is set just before the next session is inserted, to simulate a race.
    pub(crate) next_hash: Mutex<Option<String>>,
    /// All audit events, in order.
    pub(crate) events: Mutex<Vec<AuditEvent>>,
}

impl Default for MemoryAccounts {
    fn default() -> Self {
        // A real hash takes 50 ms. The gateway reads the parameters from the hash.
        let lowest = Params::new(Params::MIN_M_COST, 1, 1, None).unwrap();
        let hash = Argon2::from(lowest).hash_password(PASSWORD.as_bytes()).unwrap().to_string();
        let people = vec![
            member_record(OWNER, EMAIL, Role::Owner, Some(hash.clone())),
            member_record(READER, "bob@example.org", Role::Reader, Some(hash)),
            member_record("psn_eve", "nopassword@example.org", Role::Reader, None),
        ];
        Self {
            people: Mutex::new(people),
            links: Mutex::default(),
            sessions: Mutex::default(),
            touches: Mutex::default(),
            broken: Mutex::default(),
            next_hash: Mutex::default(),
            events: Mutex::default(),
        }
    }
}

impl MemoryAccounts {
    fn check_available(&self) -> Result<(), StoreError> {
        if *self.broken.lock().unwrap() { Err(StoreError("disk on fire".into())) } else { Ok(()) }
    }

    pub(crate) fn find_member(
        &self,
        is: impl Fn(&MemberRecord) -> bool,
    ) -> Result<Option<MemberRecord>, StoreError> {
        self.check_available()?;
        Ok(self.people.lock().unwrap().iter().find(|it| is(it)).cloned())
    }

    fn has_hash(&self, person: &PersonId, hash: Option<&str>) -> Result<bool, StoreError> {
        let found = self.find_member(|it| it.person.id == *person)?;
        Ok(found.is_some_and(|it| it.password_hash.as_deref() == hash))
    }

    /// Changes the record of a member.
    pub(crate) fn change_member(&self, id: &str, change: impl FnOnce(&mut MemberRecord)) {
        let mut people = self.people.lock().unwrap();
        change(people.iter_mut().find(|it| it.person.id.as_str() == id).unwrap());
    }
}

#[async_trait]
impl Accounts for MemoryAccounts {
    async fn find_by_email(&self, email: &str) -> Result<Option<MemberRecord>, StoreError> {
        self.find_member(|it| it.person.email == email)
    }

    async fn find_person(&self, id: &PersonId) -> Result<Option<MemberRecord>, StoreError> {
        self.find_member(|it| it.person.id == *id)
    }

    async fn list_people(&self, account: &AccountId) -> Result<Vec<Person>, StoreError> {
        self.check_available()?;
        let people = self.people.lock().unwrap();
        let of_it = people.iter().filter(|it| it.account.id == *account);
        Ok(of_it.map(|it| it.person.clone()).collect())
    }

    async fn find_invalid_form(
        &self,
        _: &AccountId,
        forms: &[FormId],
    ) -> Result<Option<InvalidForms>, StoreError> {
        let unknown = forms.iter().find(|form| form.as_str().starts_with("frm_unknown"));
        Ok(unknown.map(|form| InvalidForms::Unknown(form.clone())))
    }

    async fn insert_member(
        &self,
        _: &AccountId,
        NewPerson { email, role, forms }: NewPerson,
        _: Timestamp,
    ) -> Result<AddMemberOutcome, StoreError> {
        if self.find_by_email(&email).await?.is_some() {
            return Ok(AddMemberOutcome::Exists);
        }
        let mut people = self.people.lock().unwrap();
        if people.len() >= PEOPLE_MAX as usize {
            return Ok(AddMemberOutcome::TooMany);
        }
        let mut record = member_record(&format!("psn_{}", people.len()), &email, role, None);
        record.person.forms = forms;
        people.push(record.clone());
        Ok(AddMemberOutcome::Added(record.person))
    }

    async fn change_member(
        &self,
        account: &AccountId,
        id: &PersonId,
        change: PersonChange,
    ) -> Result<bool, StoreError> {
        self.check_available()?;
        let mut people = self.people.lock().unwrap();
        let member = people.iter_mut().find(|it| {
            it.person.id == *id && it.account.id == *account && it.person.role != Role::Owner
        });
        let Some(MemberRecord { person, .. }) = member else { return Ok(false) };
        person.role = change.role.unwrap_or(person.role);
        person.forms = change.forms.unwrap_or_else(|| person.forms.clone());
        Ok(true)
    }

    async fn delete_member(&self, account: &AccountId, id: &PersonId) -> Result<bool, StoreError> {
        self.check_available()?;
        let mut people = self.people.lock().unwrap();
        let before = people.len();
        people.retain(|it| {
            it.person.id != *id || it.account.id != *account || it.person.role == Role::Owner
        });
        Ok(people.len() < before)
    }

    async fn insert_link(
        &self,
        token_hash: [u8; 32],
        person: &PersonId,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        self.check_available()?;
        self.links.lock().unwrap().insert(token_hash, (person.clone(), expires_at));
        Ok(())
    }

    async fn find_link(
        &self,
        token_hash: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<MemberRecord>, StoreError> {
        let found = self.links.lock().unwrap().get(&token_hash).cloned();
        match found.filter(|(_, end)| now < *end) {
            Some((id, _)) => self.find_person(&id).await,
            None => Ok(None),
        }
    }

    fn with_audit(self: std::sync::Arc<Self>, event: AuditEvent) -> std::sync::Arc<dyn Accounts> {
        self.events.lock().unwrap().push(event);
        self
    }

    fn enqueue_audit(&self, event: AuditEvent) {
        self.events.lock().unwrap().push(event);
    }

    fn describe_client(&self, user_agent: &str) -> ClientInfo {
        ClientInfo { browser: Some(user_agent.to_owned()), ..ClientInfo::default() }
    }

    async fn insert_session(
        &self,
        session: SessionRecord,
        client: ClientInfo,
        proof: SessionProof,
    ) -> Result<bool, StoreError> {
        self.check_available()?;
        if let Some(hash) = self.next_hash.lock().unwrap().take() {
            self.change_member(session.person_id.as_str(), |it| it.password_hash = Some(hash));
            self.links.lock().unwrap().retain(|_, (person, _)| *person != session.person_id);
        }
        let is_valid = match proof {
            SessionProof::Identity => true,
            SessionProof::Password(hash) => self.has_hash(&session.person_id, Some(&hash))?,
            SessionProof::Link(token) => self.links.lock().unwrap().remove(&token).is_some(),
        };
        if is_valid {
            self.sessions.lock().unwrap().insert(session.token_hash, (session, client));
        }
        Ok(is_valid)
    }

    async fn list_sessions(
        &self,
        person: &PersonId,
    ) -> Result<Vec<(SessionRecord, ClientInfo)>, StoreError> {
        self.check_available()?;
        let sessions = self.sessions.lock().unwrap();
        let of_them = sessions.values().filter(|(session, _)| session.person_id == *person);
        let mut of_person: Vec<_> = of_them.cloned().collect();
        of_person.sort_by_key(|(session, _)| std::cmp::Reverse(session.last_used_at));
        Ok(of_person)
    }

    async fn find_session(
        &self,
        token_hash: [u8; 32],
    ) -> Result<Option<(SessionRecord, SessionOwner)>, StoreError> {
        self.check_available()?;
        let found = self.sessions.lock().unwrap().get(&token_hash).cloned();
        let Some((session, _)) = found else { return Ok(None) };
        let record = self.find_person(&session.person_id).await?;
        let standing = |MemberRecord { account, person, .. }: MemberRecord| {
            let Person { role, forms, email, .. } = person;
            SessionOwner { account_id: account.id, role, forms: FormAccess(forms), email }
        };
        Ok(record.map(|record| (session, standing(record))))
    }

    async fn touch_session(&self, hash: [u8; 32], seen_at: Timestamp) -> Result<(), StoreError> {
        self.check_available()?;
        *self.touches.lock().unwrap() += 1;
        if let Some((session, _)) = self.sessions.lock().unwrap().get_mut(&hash) {
            session.last_used_at = seen_at;
        }
        Ok(())
    }

    async fn reauthenticate_session(
        &self,
        was: [u8; 32],
        token_hash: [u8; 32],
        proven_at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.check_available()?;
        let mut sessions = self.sessions.lock().unwrap();
        let Some((session, client)) = sessions.remove(&was) else { return Ok(false) };
        sessions.insert(
            token_hash,
            (SessionRecord { token_hash, authenticated_at: proven_at, ..session }, client),
        );
        Ok(true)
    }

    async fn delete_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        self.check_available()?;
        self.sessions.lock().unwrap().remove(&token_hash);
        Ok(())
    }

    async fn delete_other_sessions(
        &self,
        person: &PersonId,
        except: [u8; 32],
    ) -> Result<(), StoreError> {
        self.check_available()?;
        let is_retained =
            |hash: &_, session: &SessionRecord| session.person_id != *person || *hash == except;
        self.sessions.lock().unwrap().retain(|hash, (session, _)| is_retained(hash, session));
        Ok(())
    }

    async fn set_email(
        &self,
        person: &PersonId,
        email: String,
        except: [u8; 32],
    ) -> Result<SetEmailOutcome, StoreError> {
        self.check_available()?;
        if self.find_member(|it| it.person.email == email && it.person.id != *person)?.is_some() {
            return Ok(SetEmailOutcome::Taken);
        }
        self.change_member(person.as_str(), |it| it.person.email = email);
        self.links.lock().unwrap().retain(|_, (owner, _)| owner != person);
        self.delete_other_sessions(person, except).await?;
        Ok(SetEmailOutcome::Done)
    }

    async fn set_password(
        &self,
        person: &PersonId,
        was: Option<String>,
        hash: String,
    ) -> Result<bool, StoreError> {
        self.check_available()?;
        if !self.has_hash(person, was.as_deref())? {
            return Ok(false);
        }
        self.change_member(person.as_str(), |it| it.password_hash = Some(hash));
        self.sessions.lock().unwrap().retain(|_, (session, _)| session.person_id != *person);
        self.links.lock().unwrap().retain(|_, (owner, _)| owner != person);
        Ok(true)
    }
}

/// API keys for some environments.
pub(crate) struct StaticKeys(Vec<Environment>);

impl StaticKeys {
    pub(crate) fn credentials_for(environments: Vec<Environment>) -> Credentials {
        Credentials::Keys(Arc::new(Self(environments)))
    }
}

#[async_trait]
impl Keys for StaticKeys {
    async fn key_for(
        &self,
        account: &AccountId,
        _: Role,
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

/// A clock that only tests advance.
pub(crate) struct ManualClock(AtomicI64);

impl Default for ManualClock {
    fn default() -> Self {
        Self(AtomicI64::new(1_800_000_000))
    }
}

impl ManualClock {
    pub(crate) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst) * 1000).unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}
