//! Sample answers, by the type of the field and, for short texts, by its name.

use contract::{Field, FieldType, Timestamp};
use serde_json::{Number, Value};

use super::dice::{Dice, number_of};
use super::person::{Mood, Person};
use super::texts::COMMON;

/// Number of unusual texts in a thousand.
const ODD_PERMILLE: u32 = 30;

const OPTIONS: [&[&str]; 4] = [
    &["A colleague", "Search engine", "Social media", "At a fair", "Other, by chance"],
    &["By mail", "By telephone", "Not at all"],
    &["Just me", "2 to 10", "11 to 50", "51 to 250", "More than 250"],
    &["Daily", "Weekly", "Monthly", "Hardly ever"],
];
const TOPICS: [&str; 7] =
    ["Orders", "Prices", "Feature ideas", "A problem", "Praise", "Jobs", "Press, radio & TV"];
const DAY_MICROS: i64 = 86_400_000_000;

/// Returns an answer; `None` if it is missing. The first field always has an answer.
pub(super) fn answer(
    field: &Field,
    is_first: bool,
    person: &Person,
    until: Timestamp,
    dice: &mut Dice,
) -> Option<Value> {
    if !is_first {
        match dice.below(100) {
            0..7 => return None,
            7..9 => return Some(Value::Null),
            _ => {}
        }
    }
    Some(match field.kind {
        FieldType::Text => Value::String(text(field, person, dice)),
        FieldType::LongText if dice.permille(ODD_PERMILLE) => odd(dice),
        FieldType::LongText => Value::String(person.comment(dice)),
        FieldType::Number => number(dice),
        FieldType::Boolean => Value::Bool(dice.permille(600)),
        FieldType::Choice => Value::from(*dice.pick(options(field))),
        FieldType::Choices => choices(dice),
        FieldType::Rating => Value::from(rating(person.mood, dice)),
        FieldType::Email => Value::String(person.mail(dice)),
        FieldType::Phone => phone(person, dice),
        FieldType::Url => Value::String(person.site(dice)),
        FieldType::Date => date(until, dice),
    })
}

fn text(field: &Field, person: &Person, dice: &mut Dice) -> String {
    let name = field.name.to_lowercase();
    let about = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if dice.permille(ODD_PERMILLE) {
        return dice.pick(&COMMON.odd).clone();
    }
    if about(&["company", "organisation", "organization", "firm", "employer"]) {
        return dice.pick(&person.language.companies).clone();
    }
    if about(&["city", "town", "place", "location", "where"]) {
        return dice.pick(&person.language.cities).clone();
    }
    if about(&["mail"]) {
        return person.mail(dice);
    }
    if about(&["name", "who"]) { person.name() } else { person.remark(dice) }
}

fn odd(dice: &mut Dice) -> Value {
    Value::from(dice.pick(&COMMON.odd).as_str())
}

/// Returns an integer, a decimal, a negative number, or rarely one that exceeds the precision of a
/// double.
fn number(dice: &mut Dice) -> Value {
    let (whole, cents) = (dice.within(1, 5000), dice.below(100));
    let text = match dice.below(20) {
        0..12 => format!("{whole}"),
        12..18 => format!("{whole}.{cents:02}"),
        18 => format!("-{whole}"),
        _ => format!("9007199254740993{whole:04}"),
    };
    text.parse::<Number>().map_or(Value::Null, Value::Number)
}

/// Returns the options of a field, which are always the same for its name.
fn options(field: &Field) -> &'static [&'static str] {
    Dice::new(number_of(&field.name), 0).pick::<&[&str]>(&OPTIONS)
}

fn choices(dice: &mut Dice) -> Value {
    let chosen = TOPICS.into_iter().filter(|_| dice.permille(300));
    Value::Array(chosen.map(Value::from).collect())
}

fn rating(mood: Mood, dice: &mut Dice) -> u32 {
    match mood {
        Mood::Good => dice.within(4, 5),
        Mood::Plain => dice.within(3, 4),
        Mood::Bad => dice.within(1, 2),
        Mood::Mixed => dice.within(2, 4),
    }
}

fn phone(person: &Person, dice: &mut Dice) -> Value {
    Value::String(format!("{}{:03}", person.language.dialling, dice.below(1000)))
}

fn date(until: Timestamp, dice: &mut Dice) -> Value {
    let days = i64::from(dice.below(4000));
    let day = Timestamp::from_micros(until.micros() - days * DAY_MICROS).unwrap_or(until);
    let mut text = day.to_string();
    text.truncate("2026-03-01".len());
    Value::String(text)
}
