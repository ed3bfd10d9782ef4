//! Keys of the dashboard: made by this process, known to this process, gone with it.
//!
//! They let the gateway ask in the name of a signed-in owner. None is written down, listed, or one
//! of the account's ten; each account has one for each environment.

use crate::secret::{self, Secret};
use crate::store::Hash;
use contract::{AccountId, Environment};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most keys at once; the oldest goes first, and its account gets another when it asks.
const SESSION_KEYS_MAX: usize = 20_000;

type Owner = (AccountId, Environment);

/// The keys of all signed-in owners.
#[derive(Default)]
pub(crate) struct SessionKeys(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_owner: HashMap<Owner, Secret>,
    by_hash: HashMap<Hash, Owner>,
    oldest_first: VecDeque<Owner>,
}

impl SessionKeys {
    /// Returns the key of an account for an environment; the same one while it is kept.
    pub(crate) fn of(&self, account: &AccountId, environment: Environment) -> Secret {
        let owner = (account.clone(), environment);
        let mut kept = self.lock();
        if let Some(secret) = kept.by_owner.get(&owner) {
            return secret.clone();
        }
        if kept.oldest_first.len() >= SESSION_KEYS_MAX {
            kept.drop_oldest();
        }
        let secret = secret::mint(environment);
        kept.by_hash.insert(secret.hash(), owner.clone());
        kept.by_owner.insert(owner.clone(), secret.clone());
        kept.oldest_first.push_back(owner);
        secret
    }

    /// Returns whose key has this hash.
    pub(crate) fn find(&self, hash: &Hash) -> Option<Owner> {
        self.lock().by_hash.get(hash).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn drop_oldest(&mut self) {
        let oldest = self.oldest_first.pop_front();
        if let Some(secret) = oldest.and_then(|owner| self.by_owner.remove(&owner)) {
            self.by_hash.remove(&secret.hash());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_has_one_key_for_each_environment() {
        let keys = SessionKeys::default();
        let account: AccountId = "acc_1".parse().unwrap();
        let live = keys.of(&account, Environment::Live);
        let test = keys.of(&account, Environment::Test);
        assert_eq!(keys.of(&account, Environment::Live).expose(), live.expose());
        assert_eq!(keys.find(&live.hash()), Some((account.clone(), Environment::Live)));
        assert_eq!(keys.find(&test.hash()), Some((account, Environment::Test)));
        assert_eq!(keys.find(&secret::mint(Environment::Live).hash()), None);
    }

    #[test]
    fn the_oldest_goes_when_there_are_too_many() {
        let keys = SessionKeys::default();
        let account = |n: usize| -> AccountId { format!("acc_{n}").parse().unwrap() };
        let first = keys.of(&account(0), Environment::Live);
        for n in 1..=SESSION_KEYS_MAX {
            keys.of(&account(n), Environment::Live);
        }
        assert_eq!(keys.find(&first.hash()), None);
        assert_eq!(keys.lock().by_hash.len(), SESSION_KEYS_MAX);
        assert_eq!(keys.lock().by_owner.len(), SESSION_KEYS_MAX);
        assert_ne!(keys.of(&account(0), Environment::Live).expose(), first.expose());
    }
}
