//! Labels and tones of sentiment badges.

use dashboard::{
    components::sentiment::{name, tone},
    ui::badge::Tone,
};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn unknown_sentiment_is_neutral_with_its_label() {
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
