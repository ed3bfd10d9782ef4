//! Formats numbers in the viewer's locale.

use js_sys::{Function, Intl, Object, Reflect};
use wasm_bindgen::JsValue;

/// Maximum decimal places of a number.
const DECIMALS_MAX: u32 = 6;

thread_local! {
    // Created once, because a list formats many numbers.
    static NUMBERS: Function =
        Intl::NumberFormat::new(&super::number_locales(), &Object::new()).format();
}

/// Formats a number in the viewer's locale, for example `24,981`.
pub fn number(value: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let number = JsValue::from_f64(value as f64);
    let text = NUMBERS.with(|format| format.call1(&JsValue::UNDEFINED, &number));
    text.ok().and_then(|text| text.as_string()).unwrap_or_else(|| value.to_string())
}

/// Formats a number with decimals in the viewer's locale, for example `0.5`. Digits are not
/// grouped.
pub fn decimal(value: f64) -> String {
    let options = Object::new();
    // Cannot fail on a plain object.
    let _ = Reflect::set(&options, &"maximumFractionDigits".into(), &DECIMALS_MAX.into());
    let _ = Reflect::set(&options, &"useGrouping".into(), &false.into());
    let format = Intl::NumberFormat::new(&super::number_locales(), &options).format();
    let text = format.call1(&JsValue::UNDEFINED, &value.into()).ok();
    text.and_then(|text| text.as_string()).unwrap_or_default()
}

/// Returns whether the viewer's locale writes numbers with a decimal comma.
fn has_decimal_comma() -> bool {
    thread_local!(static HAS_COMMA: bool = decimal(0.5).contains(','));
    HAS_COMMA.with(|has_comma| *has_comma)
}

/// Returns a typed number with a decimal point.
pub fn normalise_decimal(typed: &str) -> String {
    let typed = typed.trim();
    if has_decimal_comma() { typed.replace(',', ".") } else { typed.to_owned() }
}

/// Returns a number with the decimal mark of the viewer's locale.
pub fn write_decimal(text: &str) -> String {
    if has_decimal_comma() { text.replace('.', ",") } else { text.to_owned() }
}
