//! Tests of the key cache: times of reads, and failures of the source.

use super::*;
use crate::auth::identity::signature;
use crate::auth::identity::test_issuer::{Shelf, Signer, Standing};
use std::sync::atomic::Ordering;

struct World {
    shelf: Shelf,
    clock: Arc<Standing>,
    ring: KeyRing,
}

impl World {
    async fn new() -> Self {
        signature::prepare();
        let (shelf, clock) =
            (Shelf::holding(&[Signer::ed().public("a")]), Arc::<Standing>::default());
        let ring = KeyRing::open(Box::new(shelf.clone()), clock.clone()).await.unwrap();
        Self { shelf, clock, ring }
    }

    async fn has(&self, id: &str) -> bool {
        self.ring.find(Some(id), Algorithm::EdDSA).await.is_some()
    }

    fn looks(&self) -> usize {
        self.shelf.looks.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn unknown_key_is_fetched_once_a_minute() {
    let world = World::new().await;
    world.shelf.put(&[Signer::ed().public("b")]);
    assert!(world.has("a").await && !world.has("b").await);
    assert_eq!(world.looks(), 1, "within the first minute");
    world.clock.pass(60);
    assert!(world.has("b").await && !world.has("a").await);
    assert_eq!(world.looks(), 2);
    for _ in 0..100 {
        assert!(!world.has("made up").await);
    }
    assert_eq!(world.looks(), 2, "a flood of unknown keys");
    world.clock.pass(60);
    assert!(!world.has("made up").await);
    assert_eq!(world.looks(), 3);
}

#[tokio::test]
async fn keys_are_refreshed_every_hour() {
    let world = World::new().await;
    world.shelf.put(&[Signer::ed().public("b")]);
    world.clock.pass(3599);
    assert!(world.has("a").await);
    assert_eq!(world.looks(), 1);
    world.clock.pass(1);
    assert!(!world.has("a").await && world.has("b").await);
    assert_eq!(world.looks(), 2);
}

#[tokio::test]
async fn last_good_set_is_valid_for_a_day() {
    let world = World::new().await;
    for bad in [None, Some("nothing".to_owned()), Some(r#"{"keys":[]}"#.to_owned())] {
        *world.shelf.set.lock().unwrap() = bad;
        world.clock.pass(3600);
        let before = world.looks();
        assert!(world.has("a").await && world.has("a").await);
        assert_eq!(world.looks(), before + 1, "read again within the minute");
    }
    *world.shelf.set.lock().unwrap() = None;
    world.clock.pass(21 * 3600 - 1);
    assert!(world.has("a").await, "within a day");
    world.clock.pass(1);
    assert!(!world.has("a").await, "the issuer may have withdrawn it");
    world.shelf.put(&[Signer::ed().public("a")]);
    world.clock.pass(60);
    assert!(world.has("a").await, "the source works again");
    let nothing = KeyRing::open(Box::new(Shelf::default()), world.clock.clone()).await;
    assert!(nothing.is_err(), "a start without keys");
}
