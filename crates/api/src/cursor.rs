//! Cursors: start positions of the next page of a list (specification, section 4.1, rule 4).
//!
//! A cursor consists of a version, a position, and a MAC over both and over the list: form (none in
//! the inbox), environment and filter. No row is looked up, so a cursor stays valid when its row is
//! deleted. It grants no access: every request is authorized again. The page size may change
//! between pages.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::{AccountId, Environment, Filter, FormId, Timestamp};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::str::FromStr;
use store::{FormPosition, Hash, Position};

mod sorted;

const VERSION: u8 = 1;
const MAC_BYTES: usize = 16;
const INSTANT_BYTES: usize = 8;
/// Maximum length of a cursor. Longer ones are rejected before they are decoded.
const CURSOR_CHARS_MAX: usize = 400;

/// Creates and verifies cursors with the service's secret.
#[derive(Clone)]
pub(crate) struct CursorCodec {
    /// HMAC that has processed the secret only.
    keyed_hmac: Hmac<Sha256>,
}

/// List that a cursor belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CursorScope<'a> {
    /// Form of the list; `None` for the inbox.
    pub(crate) form: Option<&'a FormId>,
    /// The environment of the list.
    pub(crate) environment: Environment,
    /// Filter of the list.
    pub(crate) filter: &'a Filter,
}

impl CursorCodec {
    /// Creates and verifies cursors with this secret.
    pub(crate) fn new(secret: Hash) -> Self {
        Self { keyed_hmac: Hmac::new_from_slice(&secret).expect("HMAC takes keys of any length") }
    }

    /// Returns the cursors of spam lists. Cursors of other lists are not valid there.
    pub(crate) fn for_spam(&self) -> Self {
        self.with_derived_secret(b"sheaf spam")
    }

    /// Returns the cursors of trash lists. Cursors of other lists are not valid there.
    pub(crate) fn for_trash(&self) -> Self {
        self.with_derived_secret(b"sheaf trash")
    }

    fn with_derived_secret(&self, list: &[u8]) -> Self {
        // Each kind of list has a derived secret.
        let mut mac = self.keyed_hmac.clone();
        mac.update(list);
        Self::new(mac.finalize().into_bytes().into())
    }

    /// Returns the cursors of an account's audit log under a filter.
    pub(crate) fn for_audit(&self, account: &AccountId, filter: &str) -> Self {
        let mut mac = self.keyed_hmac.clone();
        mac.update(b"sheaf audit");
        for part in [account.as_str(), filter] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        Self::new(mac.finalize().into_bytes().into())
    }

    /// Returns the cursors of an account's list of forms, in one environment or both.
    pub(crate) fn for_forms(&self, account: &AccountId, environment: Option<Environment>) -> Self {
        let environment = environment.map_or("", Environment::as_str);
        let list = ["sheaf forms", environment, account.as_str()].concat();
        self.with_derived_secret(list.as_bytes())
    }

    /// Returns the cursors of an account's inbox.
    pub(crate) fn for_inbox(&self, account: &AccountId) -> Self {
        self.with_derived_secret(&[b"sheaf inbox", account.as_str().as_bytes()].concat())
    }

    /// Encodes a numeric position.
    pub(crate) fn encode_number(&self, number: u64) -> String {
        self.encode_bytes(&number.to_be_bytes())
    }

    /// Decodes a numeric position; `None` if this service did not create the cursor for the log.
    pub(crate) fn decode_number(&self, cursor: &str) -> Option<u64> {
        let bytes = self.decode_bytes(cursor)?;
        Some(u64::from_be_bytes(bytes.try_into().ok()?))
    }

    /// Encodes a position in a list of forms.
    pub(crate) fn encode_form(&self, position: &FormPosition) -> String {
        self.encode_bytes(&position_bytes(position.created_at, position.id.as_str()))
    }

    /// Decodes a position in a list of forms; `None` if this service did not create the cursor for
    /// the list.
    pub(crate) fn decode_form(&self, cursor: &str) -> Option<FormPosition> {
        let (created_at, id) = parse_position(&self.decode_bytes(cursor)?)?;
        Some(FormPosition { created_at, id })
    }

    fn encode_bytes(&self, payload: &[u8]) -> String {
        seal(payload, |signed| self.keyed_hmac.clone().chain_update(signed))
    }

    fn decode_bytes(&self, cursor: &str) -> Option<Vec<u8>> {
        open(cursor, |signed| self.keyed_hmac.clone().chain_update(signed))
    }

    /// Encodes a position in a list of submissions.
    pub(crate) fn encode(&self, listing: CursorScope<'_>, position: &Position) -> String {
        let payload = position_bytes(position.submitted_at, position.id.as_str());
        seal(&payload, |signed| self.compute_mac(listing, signed))
    }

    /// Decodes a position; `None` if this service did not create the cursor for this list.
    pub(crate) fn decode(&self, listing: CursorScope<'_>, cursor: &str) -> Option<Position> {
        let payload = open(cursor, |signed| self.compute_mac(listing, signed))?;
        let (submitted_at, id) = parse_position(&payload)?;
        Some(Position { submitted_at, id })
    }

    /// Computes the MAC over a list and a position. The length precedes each part, so that no two
    /// lists give the same bytes.
    fn compute_mac(&self, listing: CursorScope<'_>, signed: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.keyed_hmac.clone();
        let mut part = |bytes: Option<&[u8]>| {
            // A missing part has an impossible length, which distinguishes it from an empty one.
            let length = bytes.map_or(u64::MAX, |bytes| bytes.len() as u64);
            mac.update(&length.to_be_bytes());
            mac.update(bytes.unwrap_or_default());
        };
        let Filter {
            date_from,
            date_to,
            search,
            utm_source,
            utm_medium,
            utm_campaign,
            labels,
            score,
            seconds,
            fields,
            read,
            reader: _,
        } = listing.filter;
        part(Some(b"sheaf cursor"));
        part(Some(signed));
        part(listing.form.map(|form| form.as_str().as_bytes()));
        part(Some(listing.environment.as_str().as_bytes()));
        for bound in [date_from, date_to] {
            part(bound.map(|at| at.micros().to_be_bytes()).as_ref().map(<[u8; 8]>::as_slice));
        }
        part(search.as_ref().map(|search| search.as_str().as_bytes()));
        for utm in [utm_source, utm_medium, utm_campaign] {
            part(utm.as_deref().map(str::as_bytes));
        }
        // Only parts that are set, so that cursors of lists without them stay as they were.
        for (property, labels) in labels.iter() {
            part(Some(property.as_str().as_bytes()));
            part(Some(labels.to_query_value().as_bytes()));
        }
        for (name, bound) in [
            ("score_min", score.min),
            ("score_max", score.max),
            ("seconds_min", seconds.min),
            ("seconds_max", seconds.max),
        ] {
            if let Some(bound) = bound {
                part(Some(name.as_bytes()));
                part(Some(&bound.value().to_be_bytes()));
            }
        }
        for criterion in fields.iter() {
            part(Some(criterion.field().as_str().as_bytes()));
            part(Some(criterion.to_query_value().as_bytes()));
        }
        if let Some(read) = read {
            part(Some(if *read { b"read" } else { b"unread" }));
        }
        mac
    }
}

/// Returns the cursor of a payload. `mac` has processed the version and the payload.
fn seal(payload: &[u8], mac: impl FnOnce(&[u8]) -> Hmac<Sha256>) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(payload);
    let mac = mac(&bytes).finalize().into_bytes();
    bytes.extend(&mac[..MAC_BYTES]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the payload of a cursor from [`seal`]; `None` for any other text.
fn open(cursor: &str, mac: impl FnOnce(&[u8]) -> Hmac<Sha256>) -> Option<Vec<u8>> {
    if cursor.len() > CURSOR_CHARS_MAX {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (signed, signature) = bytes.split_at_checked(bytes.len().checked_sub(MAC_BYTES)?)?;
    mac(signed).verify_truncated_left(signature).ok()?;
    let (version, payload) = signed.split_first()?;
    (*version == VERSION).then(|| payload.to_vec())
}

fn position_bytes(at: Timestamp, id: &str) -> Vec<u8> {
    [&at.micros().to_be_bytes()[..], id.as_bytes()].concat()
}

fn parse_position<T: FromStr>(bytes: &[u8]) -> Option<(Timestamp, T)> {
    let (instant, id) = bytes.split_first_chunk::<INSTANT_BYTES>()?;
    let at = Timestamp::from_micros(i64::from_be_bytes(*instant))?;
    Some((at, std::str::from_utf8(id).ok()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::filter::Search;
    use proptest::prelude::*;

    fn cursors() -> CursorCodec {
        CursorCodec::new([7; 32])
    }

    fn position(micros: i64, id: &str) -> Position {
        let submitted_at = Timestamp::from_micros(micros).unwrap();
        Position { submitted_at, id: format!("sub_{id}").parse().unwrap() }
    }

    fn filters() -> impl Strategy<Value = Filter> {
        let text = || proptest::option::of("[ab]{1,2}");
        let bound = || proptest::option::of((0i64..3).prop_map(Timestamp::from_micros));
        let labels = prop_oneof![
            Just(""),
            Just("device=none"),
            Just("device=a,none"),
            Just("browser=none"),
            Just("score_min=1"),
            Just("score_max=1"),
            Just("seconds_min=1"),
            Just("fld_a=filled"),
            Just("fld_a=eq:a"),
            Just("fld_b=eq:a"),
            Just("fld_a=ne:a&fld_b=eq:a"),
            Just("read=true"),
            Just("read=false"),
        ];
        (bound(), bound(), text(), text(), text(), text(), labels).prop_map(
            |(from, to, search, s, m, c, labels)| Filter {
                date_from: from.flatten(),
                date_to: to.flatten(),
                search: search.and_then(|text| Search::new(&text).unwrap()),
                utm_source: s,
                utm_medium: m,
                utm_campaign: c,
                ..contract::ListQuery::parse(labels).unwrap().filter
            },
        )
    }

    fn listings() -> impl Strategy<Value = (FormId, Environment, Filter)> {
        let form = "frm_[ab]".prop_map(|id| id.parse().unwrap());
        (form, prop_oneof![Just(Environment::Live), Just(Environment::Test)], filters())
    }

    fn listing(parts: &(FormId, Environment, Filter)) -> CursorScope<'_> {
        CursorScope { form: Some(&parts.0), environment: parts.1, filter: &parts.2 }
    }

    #[test]
    fn cursor_is_url_safe_and_short() {
        let parts = ("frm_1".parse().unwrap(), Environment::Live, Filter::default());
        let longest = position(Timestamp::MAX.micros(), &"z".repeat(64));
        let cursor = cursors().encode(listing(&parts), &longest);
        assert!(cursor.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert!(cursor.len() <= CURSOR_CHARS_MAX, "{} characters", cursor.len());
        assert_eq!(cursors().decode(listing(&parts), &cursor), Some(longest));
    }

    #[test]
    fn cursor_is_bound_to_every_list_part() {
        let query_text = "date_from=2026-01-01&date_to=2026-02-01&search=s&utm_source=x&utm_medium=x&\
             utm_campaign=x&sentiment=x&category=x&language=x&country=x&device=x&browser=x&\
             score_min=1&score_max=3&seconds_min=1&seconds_max=3&read=true";
        let filter = |query: &str| contract::ListQuery::parse(query).unwrap().filter;
        let parts = ("frm_1".parse().unwrap(), Environment::Live, filter(query_text));
        let cursor = cursors().encode(listing(&parts), &position(1, "a"));
        let mut others = vec![
            ("frm_2".parse().unwrap(), Environment::Live, parts.2.clone()),
            (parts.0.clone(), Environment::Test, parts.2.clone()),
        ];
        for part in query_text.split('&') {
            let without = query_text.replace(part, "");
            let changed = match part {
                "read=true" => query_text.replace("true", "false"),
                _ => query_text.replace(part, &format!("{}2", &part[..part.len() - 1])),
            };
            others
                .extend([without, changed].map(|query| (parts.0.clone(), parts.1, filter(&query))));
        }
        for other in &others {
            assert_eq!(cursors().decode(listing(other), &cursor), None, "{other:?}");
        }
        assert_eq!(others.len(), 36);
        assert!(cursors().decode(listing(&parts), &cursor).is_some());
    }

    #[test]
    fn audit_cursor_is_bound_to_its_filter() {
        let log = |account: &str, filter| cursors().for_audit(&account.parse().unwrap(), filter);
        let cursor = log("acc_1", "action=key").encode_number(77);
        assert_eq!(log("acc_1", "action=key").decode_number(&cursor), Some(77));
        for (account, filter) in [("acc_2", "action=key"), ("acc_1", ""), ("acc_1a", "ction=key")] {
            assert_eq!(log(account, filter).decode_number(&cursor), None, "{account} {filter}");
        }
        assert_eq!(cursors().decode_number(&cursor), None);
        assert_eq!(log("acc_1", "action=key").decode_number(&cursor[1..]), None);
        let other = CursorCodec::new([8; 32]).for_audit(&"acc_1".parse().unwrap(), "action=key");
        assert_eq!(other.decode_number(&cursor), None);
    }

    #[test]
    fn inbox_cursor_is_bound_to_its_account_and_kind() {
        let filter = Filter::default();
        let scope = CursorScope { form: None, environment: Environment::Live, filter: &filter };
        let inbox = |account: &str| cursors().for_inbox(&account.parse().unwrap());
        let cursor = inbox("acc_1").encode(scope, &position(1, "a"));
        assert_eq!(inbox("acc_1").decode(scope, &cursor), Some(position(1, "a")));
        assert_eq!(inbox("acc_2").decode(scope, &cursor), None);
        assert_eq!(cursors().decode(scope, &cursor), None);
        let form = "frm_1".parse().unwrap();
        let of_form = CursorScope { form: Some(&form), ..scope };
        assert_eq!(inbox("acc_1").decode(of_form, &cursor), None);
    }

    #[test]
    fn cursor_of_another_secret_is_rejected() {
        let parts = ("frm_1".parse().unwrap(), Environment::Live, Filter::default());
        let cursor = CursorCodec::new([8; 32]).encode(listing(&parts), &position(1, "a"));
        assert_eq!(cursors().decode(listing(&parts), &cursor), None);
    }

    proptest! {
        #[test]
        fn cursor_round_trips(parts in listings(), micros in any::<i32>(), id in "[a-z0-9]{1,64}") {
            let position = position(i64::from(micros), &id);
            let cursor = cursors().encode(listing(&parts), &position);
            prop_assert_eq!(cursors().decode(listing(&parts), &cursor), Some(position));
        }

        #[test]
        fn cursor_of_another_list_is_rejected(one in listings(), other in listings()) {
            let cursor = cursors().encode(listing(&one), &position(1, "a"));
            let read = cursors().decode(listing(&other), &cursor);
            prop_assert_eq!(read.is_some(), one == other);
        }

        #[test]
        fn cursor_with_flipped_bit_is_rejected(parts in listings(), id in "[a-z0-9]{1,30}") {
            let cursor = cursors().encode(listing(&parts), &position(1_700_000_000_000_000, &id));
            for index in 0..cursor.len() {
                for bit in 0..7 {
                    let mut bytes = cursor.clone().into_bytes();
                    bytes[index] ^= 1 << bit;
                    let changed = String::from_utf8(bytes).unwrap();
                    prop_assert_eq!(cursors().decode(listing(&parts), &changed), None);
                }
            }
        }

        #[test]
        fn arbitrary_text_is_rejected(parts in listings(), garbage in "\\PC{0,300}", bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(cursors().decode(listing(&parts), &garbage), None);
            prop_assert_eq!(cursors().decode(listing(&parts), &URL_SAFE_NO_PAD.encode(bytes)), None);
        }
    }
}
