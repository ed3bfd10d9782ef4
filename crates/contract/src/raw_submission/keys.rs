//! Lookup of a form's answer keys, optimised for keys in field order.
//!
//! Keys are compared in their JSON form and never unescaped.

use std::collections::HashMap;

/// Number of keys from the expected one on that are compared before the hash map is used.
const KEYS_TRIED: usize = 4;

/// Answer keys in their JSON form, in field order.
pub(crate) struct KeyLookup {
    json_keys: Vec<String>,
    indexes: HashMap<String, usize>,
}

impl KeyLookup {
    /// Creates the lookup for the keys of a form.
    pub(crate) fn new<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let mut written = Vec::new();
        let mut places = HashMap::new();
        for key in keys {
            let quoted = serde_json::Value::from(key).to_string();
            let inner = quoted[1..quoted.len() - 1].to_owned();
            if !places.contains_key(&inner) {
                places.insert(inner.clone(), written.len());
                written.push(inner);
            }
        }
        Self { json_keys: written, indexes: places }
    }

    /// Returns the index of a key, if the form has it. The key is not escaped.
    pub(crate) fn index_of(&self, key: &str) -> Option<usize> {
        let quoted = serde_json::Value::from(key).to_string();
        self.indexes.get(&quoted[1..quoted.len() - 1]).copied()
    }

    /// Returns the number of distinct keys.
    pub(super) fn key_count(&self) -> usize {
        self.json_keys.len()
    }

    /// Returns the key at an index in JSON form, without quotes.
    pub(crate) fn json_key(&self, place: usize) -> &str {
        &self.json_keys[place]
    }

    /// Returns the index of a key in JSON form. This is fastest if the key is `expected` or follows
    /// soon.
    pub(super) fn find_json_key(&self, key: &str, expected: usize) -> Option<usize> {
        let next = self.json_keys.iter().enumerate().skip(expected).take(KEYS_TRIED);
        let nearby = next.filter(|(_, other)| *other == key).map(|(index, _)| index).next();
        nearby.or_else(|| self.indexes.get(key).copied())
    }
}
