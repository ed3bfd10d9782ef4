//! Labels and tones of sentiment badges.

use dashboard::{
    components::sentiment::{sentiment_name, sentiment_tone},
    ui::badge::StatusTone,
};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn unknown_sentiment_is_neutral_with_its_label() {
    let check = |label: &str, tint: StatusTone, text: &str| {
        assert_eq!((sentiment_tone(label), sentiment_name(label).as_str()), (tint, text));
    };
    check("positive", StatusTone::Positive, "Positive");
    check("negative", StatusTone::Negative, "Negative");
    check("mixed", StatusTone::Mixed, "Mixed");
    check("neutral", StatusTone::Neutral, "Neutral");
    check("überrascht", StatusTone::Neutral, "Überrascht");
    check("", StatusTone::Neutral, "");
}
