//! Metadata and insight of a sample submission.

use contract::{Insight, Metadata, Timestamp};

use super::person::{Mood, SampleAuthor};
use super::random::Random;

/// Traffic source: share, UTM source, medium and campaigns. Most sources are unknown.
type TrafficSource = (u32, Option<&'static str>, Option<&'static str>, &'static [&'static str]);

const TRAFFIC_SOURCES: [TrafficSource; 10] = [
    (400, None, None, &[]),
    (180, Some("google"), Some("cpc"), &["spring_sale", "brand_search", "autumn-2025"]),
    (140, Some("newsletter"), Some("email"), &["weekly", "product news", "Frühling & Co."]),
    (90, Some("facebook"), Some("social"), &["spring_sale", "lookalike_3"]),
    (60, Some("linkedin"), Some("social"), &["b2b_webinar"]),
    (50, Some("instagram"), Some("paid_social"), &["spring_sale", "reels,summer"]),
    (40, Some("qr"), Some("print"), &[]),
    (25, Some("partner-a"), Some("referral"), &["co_marketing"]),
    (10, Some("Google"), Some("CPC"), &["Brand_Search"]),
    (5, Some("日本のパートナー"), Some("紹介"), &["春のセール"]),
];

const DEVICES: [(&str, u32, &[&str]); 3] = [
    ("mobile", 52, &["Chrome", "Safari", "Safari", "Samsung Internet", "Firefox"]),
    ("desktop", 41, &["Chrome", "Chrome", "Firefox", "Edge", "Safari", "Opera"]),
    ("tablet", 7, &["Safari", "Chrome"]),
];

pub(super) fn sample_metadata(
    rng: &mut Random,
    person: &SampleAuthor,
    submitted_at: Timestamp,
) -> Metadata {
    let is_known = |rng: &mut Random| !rng.chance_permille(30);
    let (country, _) = rng.weighted(&person.language.countries, |(_, share)| *share);
    let (device, _, browsers) = *rng.weighted(&DEVICES, |(_, share, _)| *share);
    let browser = *rng.pick(browsers);
    let (_, source, medium, campaigns) = *rng.weighted(&TRAFFIC_SOURCES, |(share, ..)| *share);
    let campaign =
        (!campaigns.is_empty() && !rng.chance_permille(120)).then(|| *rng.pick(campaigns));
    Metadata {
        submitted_at,
        ip_country: is_known(rng).then(|| country.clone()),
        device: is_known(rng).then(|| device.to_owned()),
        browser: is_known(rng).then(|| browser.to_owned()),
        completion_time_seconds: is_known(rng).then(|| completion_s(rng)),
        utm_source: source.map(str::to_owned),
        utm_medium: medium.map(str::to_owned),
        utm_campaign: campaign.map(str::to_owned),
    }
}

/// Returns minutes for most, seconds for robots, and hours for a tab that was left open.
fn completion_s(rng: &mut Random) -> u64 {
    let seconds = match rng.next_below(100) {
        0..3 => rng.next_in(1, 6),
        3..70 => rng.next_in(25, 240),
        70..97 => rng.next_in(240, 1500),
        _ => rng.next_in(3600, 90_000),
    };
    u64::from(seconds)
}

/// Returns the result of an analysis; one in ten submissions is not analysed yet.
pub(super) fn sample_insight(rng: &mut Random, person: &SampleAuthor) -> Option<Insight> {
    if rng.chance_permille(100) {
        return None;
    }
    let (sentiment, score_min, score_max) = match person.mood {
        Mood::Good => ("positive", 70, 99),
        Mood::Plain => ("neutral", 42, 60),
        Mood::Bad => ("negative", 2, 30),
        Mood::Mixed => ("mixed", 35, 65),
    };
    Some(Insight {
        sentiment: Some(sentiment.to_owned()),
        sentiment_score: Some(f64::from(rng.next_in(score_min, score_max)) / 100.0),
        categories: person.categories(),
        language: Some(person.language.code.clone()),
    })
}
