//! Sample answers, by the type of the field and, for short texts, by its name.

use contract::{Field, FieldType, Timestamp};
use serde_json::{Number, Value};

use super::person::{Mood, SampleAuthor};
use super::random::{Random, hash_text};
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
pub(super) fn sample_answer(
    field: &Field,
    is_first: bool,
    person: &SampleAuthor,
    until: Timestamp,
    dice: &mut Random,
) -> Option<Value> {
    if !is_first {
        match dice.next_below(100) {
            0..7 => return None,
            7..9 => return Some(Value::Null),
            _ => {}
        }
    }
    Some(match field.kind {
        FieldType::Text => Value::String(short_text(field, person, dice)),
        FieldType::LongText if dice.chance_permille(ODD_PERMILLE) => odd_text(dice),
        FieldType::LongText => Value::String(person.random_comment(dice)),
        FieldType::Number => random_number(dice),
        FieldType::Boolean => Value::Bool(dice.chance_permille(600)),
        FieldType::Choice => Value::from(*dice.pick(field_options(field))),
        FieldType::Choices => random_choices(dice),
        FieldType::Rating => Value::from(rating_for_mood(person.mood, dice)),
        FieldType::Email => Value::String(person.email(dice)),
        FieldType::Phone => random_phone(person, dice),
        FieldType::Url => Value::String(person.website(dice)),
        FieldType::Date => random_date(until, dice),
    })
}

fn short_text(field: &Field, person: &SampleAuthor, dice: &mut Random) -> String {
    let name = field.name.to_lowercase();
    let about = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if dice.chance_permille(ODD_PERMILLE) {
        return dice.pick(&COMMON.odd).clone();
    }
    if about(&["company", "organisation", "organization", "firm", "employer"]) {
        return dice.pick(&person.language.companies).clone();
    }
    if about(&["city", "town", "place", "location", "where"]) {
        return dice.pick(&person.language.cities).clone();
    }
    if about(&["mail"]) {
        return person.email(dice);
    }
    if about(&["name", "who"]) { person.name() } else { person.random_sentence(dice) }
}

fn odd_text(dice: &mut Random) -> Value {
    Value::from(dice.pick(&COMMON.odd).as_str())
}

/// Returns an integer, a decimal, a negative number, or rarely one that exceeds the precision of a
/// double.
fn random_number(dice: &mut Random) -> Value {
    let whole = dice.next_in(1, 5000);
    let cents = dice.next_below(100);
    let text = match dice.next_below(20) {
        0..12 => format!("{whole}"),
        12..18 => format!("{whole}.{cents:02}"),
        18 => format!("-{whole}"),
        _ => format!("9007199254740993{whole:04}"),
    };
    text.parse::<Number>().map_or(Value::Null, Value::Number)
}

/// Returns the options of a field, which are always the same for its name.
fn field_options(field: &Field) -> &'static [&'static str] {
    Random::new(hash_text(&field.name), 0).pick::<&[&str]>(&OPTIONS)
}

fn random_choices(dice: &mut Random) -> Value {
    let chosen = TOPICS.into_iter().filter(|_| dice.chance_permille(300));
    Value::Array(chosen.map(Value::from).collect())
}

fn rating_for_mood(mood: Mood, dice: &mut Random) -> u32 {
    match mood {
        Mood::Good => dice.next_in(4, 5),
        Mood::Plain => dice.next_in(3, 4),
        Mood::Bad => dice.next_in(1, 2),
        Mood::Mixed => dice.next_in(2, 4),
    }
}

fn random_phone(person: &SampleAuthor, dice: &mut Random) -> Value {
    Value::String(format!("{}{:03}", person.language.dialling, dice.next_below(1000)))
}

fn random_date(until: Timestamp, dice: &mut Random) -> Value {
    let days = i64::from(dice.next_below(4000));
    let day = Timestamp::from_micros(until.micros() - days * DAY_MICROS).unwrap_or(until);
    let mut text = day.to_string();
    text.truncate("2026-03-01".len());
    Value::String(text)
}
