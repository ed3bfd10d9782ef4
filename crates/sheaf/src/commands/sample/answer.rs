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
    rng: &mut Random,
) -> Option<Value> {
    if !is_first {
        match rng.next_below(100) {
            0..7 => return None,
            7..9 => return Some(Value::Null),
            _ => {}
        }
    }
    Some(match field.kind {
        FieldType::Text => Value::String(short_text(field, person, rng)),
        FieldType::LongText if rng.chance_permille(ODD_PERMILLE) => odd_text(rng),
        FieldType::LongText => Value::String(person.random_comment(rng)),
        FieldType::Number => random_number(rng),
        FieldType::Boolean => Value::Bool(rng.chance_permille(600)),
        FieldType::Choice => Value::from(*rng.pick(field_options(field))),
        FieldType::Choices => random_choices(rng),
        FieldType::Rating => Value::from(rating_for_mood(person.mood, rng)),
        FieldType::Email => Value::String(person.email(rng)),
        FieldType::Phone => random_phone(person, rng),
        FieldType::Url => Value::String(person.website(rng)),
        FieldType::Date => random_date(until, rng),
    })
}

fn short_text(field: &Field, person: &SampleAuthor, rng: &mut Random) -> String {
    let name = field.name.to_lowercase();
    let about = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if rng.chance_permille(ODD_PERMILLE) {
        return rng.pick(&COMMON.odd).clone();
    }
    if about(&["company", "organisation", "organization", "firm", "employer"]) {
        return rng.pick(&person.language.companies).clone();
    }
    if about(&["city", "town", "place", "location", "where"]) {
        return rng.pick(&person.language.cities).clone();
    }
    if about(&["mail"]) {
        return person.email(rng);
    }
    if about(&["name", "who"]) { person.name() } else { person.random_sentence(rng) }
}

fn odd_text(rng: &mut Random) -> Value {
    Value::from(rng.pick(&COMMON.odd).as_str())
}

/// Returns an integer, a decimal, a negative number, or rarely one that exceeds the precision of a
/// double.
fn random_number(rng: &mut Random) -> Value {
    let integer = rng.next_in(1, 5000);
    let cents = rng.next_below(100);
    let text = match rng.next_below(20) {
        0..12 => format!("{integer}"),
        12..18 => format!("{integer}.{cents:02}"),
        18 => format!("-{integer}"),
        _ => format!("9007199254740993{integer:04}"),
    };
    text.parse::<Number>().map_or(Value::Null, Value::Number)
}

/// Returns the options of a field, which are always the same for its name.
fn field_options(field: &Field) -> &'static [&'static str] {
    Random::new(hash_text(&field.name), 0).pick::<&[&str]>(&OPTIONS)
}

fn random_choices(rng: &mut Random) -> Value {
    let chosen = TOPICS.into_iter().filter(|_| rng.chance_permille(300));
    Value::Array(chosen.map(Value::from).collect())
}

fn rating_for_mood(mood: Mood, rng: &mut Random) -> u32 {
    match mood {
        Mood::Good => rng.next_in(4, 5),
        Mood::Plain => rng.next_in(3, 4),
        Mood::Bad => rng.next_in(1, 2),
        Mood::Mixed => rng.next_in(2, 4),
    }
}

fn random_phone(person: &SampleAuthor, rng: &mut Random) -> Value {
    Value::String(format!("{}{:03}", person.language.dialling, rng.next_below(1000)))
}

fn random_date(until: Timestamp, rng: &mut Random) -> Value {
    let days = i64::from(rng.next_below(4000));
    let day = Timestamp::from_micros(until.micros() - days * DAY_MICROS).unwrap_or(until);
    let mut text = day.to_string();
    text.truncate("2026-03-01".len());
    Value::String(text)
}
