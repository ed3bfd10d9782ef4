//! The keys of a form's answers, found quickly in the order in which they usually come.
//!
//! Compares keys as they stand in JSON; never unescapes one.

use std::collections::HashMap;

/// How far behind the key that is expected next the others are looked at one by one.
const KEYS_TRIED: usize = 4;

/// Answer keys as they stand in JSON, in the order in which a form asks.
pub(crate) struct Keys {
    written: Vec<String>,
    places: HashMap<String, usize>,
}

impl Keys {
    /// Returns the keys of a form.
    pub(crate) fn new<'a>(keys: impl Iterator<Item = &'a str>) -> Self {
        let (mut written, mut places) = (Vec::new(), HashMap::new());
        for key in keys {
            let quoted = serde_json::Value::from(key).to_string();
            let inner = quoted[1..quoted.len() - 1].to_owned();
            if !places.contains_key(&inner) {
                places.insert(inner.clone(), written.len());
                written.push(inner);
            }
        }
        Self { written, places }
    }

    /// Returns the place of a key among the keys given, where it is one of them.
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        let quoted = serde_json::Value::from(key).to_string();
        self.places.get(&quoted[1..quoted.len() - 1]).copied()
    }

    /// Returns how many keys there are.
    pub(super) fn count(&self) -> usize {
        self.written.len()
    }

    /// Returns the key at a place, escaped, without its quotes.
    pub(crate) fn written(&self, place: usize) -> &str {
        &self.written[place]
    }

    /// Finds a key as it stands in JSON, quickest where it is the expected one or soon behind it.
    pub(super) fn find(&self, key: &str, expected: usize) -> Option<usize> {
        let next = self.written.iter().enumerate().skip(expected).take(KEYS_TRIED);
        let near = next.filter(|(_, other)| *other == key).map(|(place, _)| place).next();
        near.or_else(|| self.places.get(key).copied())
    }
}
