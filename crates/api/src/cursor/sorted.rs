//! Cursors of sorted lists.

use super::{CursorCodec, CursorScope, INSTANT_BYTES};
use contract::{Sort, SortKey, SortValue, Timestamp};
use hmac::Mac as _;

/// First bytes of the values, by kind.
const MISSING: u8 = 0;
const INSTANT: u8 = 1;
const NUMBER: u8 = 2;
const DECIMAL: u8 = 3;
const TEXT: u8 = 4;

impl CursorCodec {
    /// Returns the cursors of a list in an order. Cursors of other lists and orders are not valid
    /// there.
    pub(crate) fn for_sort(&self, scope: CursorScope<'_>, sort: &Sort) -> Self {
        let mut mac = self.compute_mac(scope, b"sheaf sort");
        mac.update(sort.to_string().as_bytes());
        Self::new(mac.finalize().into_bytes().into())
    }

    /// Encodes a place in a sorted list.
    pub(crate) fn encode_sorted(&self, key: &SortKey) -> String {
        let id = key.id().as_str().as_bytes();
        let mut bytes = key.submitted_at().micros().to_be_bytes().to_vec();
        // An id has at most 68 bytes.
        bytes.push(u8::try_from(id.len()).unwrap_or(u8::MAX));
        bytes.extend(id);
        match key.place().value() {
            None => bytes.push(MISSING),
            Some(SortValue::Instant(at)) => {
                bytes.push(INSTANT);
                bytes.extend(at.micros().to_be_bytes());
            }
            Some(SortValue::Number(number)) => {
                bytes.push(NUMBER);
                bytes.extend(number.to_be_bytes());
            }
            Some(SortValue::Decimal(text)) => {
                bytes.push(DECIMAL);
                bytes.extend(text.as_bytes());
            }
            Some(SortValue::Text(text)) => {
                bytes.push(TEXT);
                bytes.extend(text.as_bytes());
            }
        }
        self.encode_bytes(&bytes)
    }

    /// Decodes a place; `None` if this service did not create the cursor for this list and order.
    pub(crate) fn decode_sorted(&self, sort: &Sort, cursor: &str) -> Option<SortKey> {
        let bytes = self.decode_bytes(cursor)?;
        let (instant, rest) = bytes.split_first_chunk::<INSTANT_BYTES>()?;
        let (length, rest) = rest.split_first()?;
        let (id, rest) = rest.split_at_checked(usize::from(*length))?;
        let (kind, value) = rest.split_first()?;
        let text = || String::from_utf8(value.to_vec()).ok();
        let value = match *kind {
            MISSING => None,
            INSTANT => Some(SortValue::Instant(timestamp(value.try_into().ok()?)?)),
            NUMBER => SortValue::of_number(Some(f64::from_be_bytes(value.try_into().ok()?))),
            DECIMAL => Some(SortValue::Decimal(text()?)),
            TEXT => Some(SortValue::Text(text()?)),
            _ => return None,
        };
        let id = std::str::from_utf8(id).ok()?.parse().ok()?;
        Some(SortKey::new(sort.place(value), timestamp(*instant)?, id))
    }
}

fn timestamp(bytes: [u8; INSTANT_BYTES]) -> Option<Timestamp> {
    Timestamp::from_micros(i64::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::CURSOR_CHARS_MAX;
    use contract::{Environment, Filter, ListQuery, sort::SORT_CHARS_MAX};

    fn sort(text: &str) -> Sort {
        Sort::parse(text).unwrap().unwrap()
    }

    fn cursors(sort: &Sort, filter: &Filter) -> CursorCodec {
        let form = "frm_1".parse().unwrap();
        let scope = CursorScope { form: Some(&form), environment: Environment::Live, filter };
        CursorCodec::new([7; 32]).for_sort(scope, sort)
    }

    #[test]
    fn sorted_cursor_round_trips() {
        let sort = sort("-fld_q");
        let cursors = cursors(&sort, &Filter::default());
        let longest = "\u{10ffff}".repeat(SORT_CHARS_MAX);
        for value in [
            None,
            Some(SortValue::Instant(Timestamp::MIN)),
            Some(SortValue::Number(-0.25)),
            Some(SortValue::Decimal("-1e9".to_owned())),
            Some(SortValue::Text(longest)),
        ] {
            let id = format!("sub_{}", "z".repeat(64)).parse().unwrap();
            let key = SortKey::new(sort.place(value), Timestamp::MAX, id);
            let cursor = cursors.encode_sorted(&key);
            assert!(cursor.len() <= CURSOR_CHARS_MAX, "{}", cursor.len());
            assert_eq!(cursors.decode_sorted(&sort, &cursor), Some(key));
        }
    }

    #[test]
    fn cursor_of_another_order_is_rejected() {
        let one = sort("fld_q");
        let key = SortKey::new(one.place(None), Timestamp::MIN, "sub_1".parse().unwrap());
        let cursor = cursors(&one, &Filter::default()).encode_sorted(&key);
        for (text, query) in
            [("-fld_q", ""), ("fld_r", ""), ("sentiment_score", ""), ("fld_q", "device=none")]
        {
            let other = sort(text);
            let filter = ListQuery::parse(query).unwrap().filter;
            let read = cursors(&other, &filter).decode_sorted(&other, &cursor);
            assert_eq!(read, None, "{text} {query}");
        }
    }
}
