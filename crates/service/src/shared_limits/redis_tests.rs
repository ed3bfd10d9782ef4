//! What is kept in Redis has bounds, and a flood of strangers costs nobody else.

use super::*;
use crate::window::Limits;
use backing::Redis;

async fn bounded(server: &Redis, kept_max: u32) -> RedisMeter {
    RedisMeter { kept_max, ..RedisMeter::connect(&server.url()).await.unwrap() }
}

#[tokio::test]
async fn strangers_without_room_share_and_payers_never_do() {
    let server = Redis::start().unwrap();
    let meter = bounded(&server, 3).await;
    let limits = Limits { window: 1, burst: 1 };
    let admit = async |kind, n: u8| {
        let ask = Ask { limits, is_counted: true, at_us: None };
        meter.admit(&Name::of(kind, &[&[n]]), ask).await.unwrap().is_let_in
    };
    for n in 0..5 {
        assert_eq!(admit(Kind::Stranger, n).await, n < 4, "{n}: the fifth shares with the fourth");
    }
    assert!(!admit(Kind::Stranger, 0).await, "who has a window keeps it");
    for n in 0..2_u8 {
        let wide = Limits { window: 9, burst: 9 };
        let ask = Ask { limits: wide, is_counted: true, at_us: None };
        let reading = meter.admit(&Name::of(Kind::Stranger, &[&[n]]), ask).await.unwrap();
        assert_eq!(reading.count, 2, "{n} was counted with others");
    }
    assert_eq!(meter.sweep().await.unwrap(), [Kind::Stranger]);
    for n in 0..9 {
        assert!(admit(Kind::Payer, n).await && admit(Kind::Form, n).await, "{n}");
    }
    assert!(admit(Kind::Sender, 0).await, "what is sent has room of its own");
    // What is over leaves room.
    let mut connection = meter.connection.clone();
    let over = [(1, "a"), (2, "b"), (3, "c")];
    let mut commands = redis::pipe();
    commands.del(of_kind(Kind::Stranger)).zadd_multiple(of_kind(Kind::Stranger), &over);
    commands.query_async::<()>(&mut connection).await.unwrap();
    assert_eq!(meter.sweep().await.unwrap(), []);
    assert!(admit(Kind::Stranger, 9).await, "there is room again");
}

#[tokio::test]
async fn senders_without_room_share_a_window_of_their_form() {
    let server = Redis::start().unwrap();
    let meter = bounded(&server, 2).await;
    let admit = async |form: &str, n: u8| {
        let ask = Ask { limits: Limits { window: 1, burst: 1 }, is_counted: true, at_us: None };
        let name = Name::of_sender(form.as_bytes(), &[&[n]]);
        meter.admit(&name, ask).await.unwrap().is_let_in
    };
    assert!(admit("frm_1", 0).await && admit("frm_1", 1).await);
    assert!(admit("frm_1", 2).await && !admit("frm_1", 3).await, "they share");
    assert!(admit("frm_2", 2).await && !admit("frm_2", 3).await, "each form for itself");
}

#[tokio::test]
async fn tries_are_bounded_and_the_most_guessed_at_stay() {
    let server = Redis::start().unwrap();
    let meter = bounded(&server, 3).await;
    let rules = contract::TryRules {
        address_tries: 1000,
        address_for: Duration::from_mins(5),
        free_tries: 2,
        wait_max: Duration::from_mins(15),
        forget_after: Duration::from_mins(30),
    };
    let (address, guessed) = (Name::of(Kind::Door, &[]), Name::of(Kind::Person, &[b"guessed"]));
    let guess = async |account: &Name| {
        let it = Try { rules: &rules, address: &address, account: Some(account), at_us: None };
        meter.try_in(&it).await.unwrap()
    };
    assert_eq!((guess(&guessed).await, guess(&guessed).await), (0, 0));
    for n in 0..9_u8 {
        assert_eq!(guess(&Name::of(Kind::Person, &[&[n]])).await, 0);
    }
    let counts = async || -> (u32, u32, u32) {
        let mut commands = redis::pipe();
        commands.zcard(TRIES_BY_END).zcard(TRIES_BY_COUNT).cmd("DBSIZE");
        commands.query_async(&mut meter.connection.clone()).await.unwrap()
    };
    assert_eq!(counts().await, (11, 11, 13));
    meter.sweep().await.unwrap();
    assert_eq!(counts().await, (3, 3, 5));
    assert!(guess(&guessed).await > 0, "a flood washed it away");
    meter.forget(&guessed).await.unwrap();
    assert_eq!(counts().await, (2, 2, 4));
    assert_eq!(guess(&guessed).await, 0);
}

#[tokio::test]
async fn everything_ends_by_itself_and_not_before_it_counts_nothing() {
    let server = Redis::start().unwrap();
    let meter = bounded(&server, 9).await;
    let (minute, half_an_hour) = (Duration::from_mins(1), Duration::from_mins(30));
    let rules = contract::TryRules {
        address_tries: 9,
        address_for: minute,
        free_tries: 9,
        wait_max: minute,
        forget_after: half_an_hour,
    };
    let [window, door, person] =
        [Kind::Stranger, Kind::Door, Kind::Person].map(|kind| Name::of(kind, &[]));
    let ask = Ask { limits: Limits { window: 9, burst: 9 }, is_counted: true, at_us: None };
    meter.admit(&window, ask).await.unwrap();
    let it = Try { rules: &rules, address: &door, account: Some(&person), at_us: None };
    meter.try_in(&it).await.unwrap();
    let ends = [
        (key(WINDOWS, window.bytes()), 901),
        (of_kind(Kind::Stranger), 901),
        (key(TRIES, door.bytes()), 60),
        (key(TRIES, person.bytes()), 1800),
    ];
    for (key, seconds) in ends {
        let left_ms: i64 =
            redis::cmd("PTTL").arg(&key).query_async(&mut meter.connection.clone()).await.unwrap();
        let said = String::from_utf8_lossy(&key).into_owned();
        // A moment passed since.
        assert!(
            (seconds * 1000 - 500..=seconds * 1000 + 1000).contains(&left_ms),
            "{said} {left_ms}"
        );
    }
}

#[tokio::test]
async fn a_password_that_is_cut_is_not_told() {
    for url in ["redis://me:hid/den@h", "redis://hid?den@h", "redis://:hid#den@h:1"] {
        let why = RedisMeter::connect(url).await.err().unwrap().to_string();
        assert!(why.contains("before its `@`") && !why.contains("hid"), "{url}: {why}");
    }
}
