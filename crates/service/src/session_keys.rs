//! Keys of the dashboard: made by this process, known to this process, gone with it.
//!
//! They let the gateway ask in the name of whoever is signed in. None is written down, listed, or
//! one of the account's ten; each account has one for each role and environment.

use crate::secret::{self, Secret};
use crate::store::Hash;
use contract::{AccountId, Environment, Role};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most keys at once; the oldest goes first, and its account gets another when it asks.
const SESSION_KEYS_MAX: usize = 20_000;

/// Whose a key is.
type Holder = (AccountId, Role, Environment);

/// The keys of all who are signed in.
#[derive(Default)]
pub(crate) struct SessionKeys(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_holder: HashMap<Holder, Secret>,
    by_hash: HashMap<Hash, Holder>,
    oldest_first: VecDeque<Holder>,
}

impl SessionKeys {
    /// Returns the key of an account's people of a role for an environment; the same one while it
    /// is kept.
    pub(crate) fn of(&self, account: &AccountId, role: Role, environment: Environment) -> Secret {
        let holder = (account.clone(), role, environment);
        let mut kept = self.lock();
        if let Some(secret) = kept.by_holder.get(&holder) {
            return secret.clone();
        }
        if kept.oldest_first.len() >= SESSION_KEYS_MAX {
            kept.drop_oldest();
        }
        let secret = secret::mint(environment);
        kept.by_hash.insert(secret.hash(), holder.clone());
        kept.by_holder.insert(holder.clone(), secret.clone());
        kept.oldest_first.push_back(holder);
        secret
    }

    /// Returns whose key has this hash.
    pub(crate) fn find(&self, hash: &Hash) -> Option<Holder> {
        self.lock().by_hash.get(hash).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn drop_oldest(&mut self) {
        let oldest = self.oldest_first.pop_front();
        if let Some(secret) = oldest.and_then(|holder| self.by_holder.remove(&holder)) {
            self.by_hash.remove(&secret.hash());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_has_one_key_for_each_environment() {
        let keys = SessionKeys::default();
        let account: AccountId = "acc_1".parse().unwrap();
        let live = keys.of(&account, Role::Owner, Environment::Live);
        let test = keys.of(&account, Role::Reader, Environment::Test);
        assert_eq!(keys.of(&account, Role::Owner, Environment::Live).expose(), live.expose());
        assert_eq!(
            keys.find(&live.hash()),
            Some((account.clone(), Role::Owner, Environment::Live))
        );
        assert_eq!(keys.find(&test.hash()), Some((account, Role::Reader, Environment::Test)));
        assert_eq!(keys.find(&secret::mint(Environment::Live).hash()), None);
    }

    #[test]
    fn the_oldest_goes_when_there_are_too_many() {
        let keys = SessionKeys::default();
        let account = |n: usize| -> AccountId { format!("acc_{n}").parse().unwrap() };
        let first = keys.of(&account(0), Role::Owner, Environment::Live);
        for n in 1..=SESSION_KEYS_MAX {
            keys.of(&account(n), Role::Owner, Environment::Live);
        }
        assert_eq!(keys.find(&first.hash()), None);
        assert_eq!(keys.lock().by_hash.len(), SESSION_KEYS_MAX);
        assert_eq!(keys.lock().by_holder.len(), SESSION_KEYS_MAX);
        assert_ne!(keys.of(&account(0), Role::Owner, Environment::Live).expose(), first.expose());
    }
}
