//! Tests of the key cache: times of reads, and failures of the source.

use super::*;
use crate::auth::identity::signature;
use crate::auth::identity::test_issuer::{ManualClock, Signer, TestKeySource};
use std::sync::atomic::Ordering;

struct JwksCacheFixture {
    source: TestKeySource,
    clock: Arc<ManualClock>,
    cache: JwksCache,
}

impl JwksCacheFixture {
    async fn new() -> Self {
        signature::install_provider();
        let source = TestKeySource::with_keys(&[Signer::ed().public_jwk("a")]);
        let clock = Arc::<ManualClock>::default();
        let ring = JwksCache::open(Box::new(source.clone()), clock.clone()).await.unwrap();
        Self { source, clock, cache: ring }
    }

    async fn has_key(&self, id: &str) -> bool {
        self.cache.find(Some(id), Algorithm::EdDSA).await.is_some()
    }

    fn fetch_count(&self) -> usize {
        self.source.fetches.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn unknown_key_is_fetched_once_a_minute() {
    let app = JwksCacheFixture::new().await;
    app.source.set_keys(&[Signer::ed().public_jwk("b")]);
    assert!(app.has_key("a").await && !app.has_key("b").await);
    assert_eq!(app.fetch_count(), 1, "within the first minute");
    app.clock.advance(60);
    assert!(app.has_key("b").await && !app.has_key("a").await);
    assert_eq!(app.fetch_count(), 2);
    for _ in 0..100 {
        assert!(!app.has_key("made up").await);
    }
    assert_eq!(app.fetch_count(), 2, "a flood of unknown keys");
    app.clock.advance(60);
    assert!(!app.has_key("made up").await);
    assert_eq!(app.fetch_count(), 3);
}

#[tokio::test]
async fn keys_are_refreshed_every_hour() {
    let app = JwksCacheFixture::new().await;
    app.source.set_keys(&[Signer::ed().public_jwk("b")]);
    app.clock.advance(3599);
    assert!(app.has_key("a").await);
    assert_eq!(app.fetch_count(), 1);
    app.clock.advance(1);
    assert!(!app.has_key("a").await && app.has_key("b").await);
    assert_eq!(app.fetch_count(), 2);
}

#[tokio::test]
async fn last_good_set_is_valid_for_a_day() {
    let app = JwksCacheFixture::new().await;
    for bad in [None, Some("nothing".to_owned()), Some(r#"{"keys":[]}"#.to_owned())] {
        *app.source.set.lock().unwrap() = bad;
        app.clock.advance(3600);
        let before = app.fetch_count();
        assert!(app.has_key("a").await && app.has_key("a").await);
        assert_eq!(app.fetch_count(), before + 1, "read again within the minute");
    }
    *app.source.set.lock().unwrap() = None;
    app.clock.advance(21 * 3600 - 1);
    assert!(app.has_key("a").await, "within a day");
    app.clock.advance(1);
    assert!(!app.has_key("a").await, "the issuer may have withdrawn it");
    app.source.set_keys(&[Signer::ed().public_jwk("a")]);
    app.clock.advance(60);
    assert!(app.has_key("a").await, "the source works again");
    let nothing = JwksCache::open(Box::new(TestKeySource::default()), app.clock.clone()).await;
    assert!(nothing.is_err(), "a start without keys");
}
