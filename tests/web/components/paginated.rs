//! Paged lists: removed rows.

use dashboard::{components::paginated::Paginated, state::session::SessionStore};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::owner;

#[wasm_bindgen_test]
fn removed_rows_reduce_total() {
    let _owner = owner();
    let pages = Paginated::new(SessionStore::default());
    pages.rows.set(vec![1, 2, 3]);
    pages.total.set(Some(9));
    for _ in 0..2 {
        pages.remove(|row| *row > 1);
        assert_eq!(pages.rows.get_untracked(), [1]);
        assert_eq!(pages.total.get_untracked(), Some(7));
    }
}
