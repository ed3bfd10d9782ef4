//! Labels of sentiments, as badges show them.

use dashboard::{
    components::sentiment::{name, tone},
    ui::badge::Tone,
};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn an_unknown_label_is_neutral_in_its_own_words() {
    let check = |label: &str, tint: Tone, text: &str| {
        assert_eq!((tone(label), name(label).as_str()), (tint, text));
    };
    check("positive", Tone::Positive, "Positive");
    check("negative", Tone::Negative, "Negative");
    check("mixed", Tone::Mixed, "Mixed");
    check("neutral", Tone::Neutral, "Neutral");
    check("überrascht", Tone::Neutral, "Überrascht");
    check("", Tone::Neutral, "");
}
