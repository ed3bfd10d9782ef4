//! Contention by many connections: silent ones, and slow ones that never finish their head.
//! Measures their effect on other clients, and their memory.

use crate::bench::Bench;
use crate::client::{Client, get_request};
use crate::load::{Requests, Sample, median, send_requests};
use crate::random::Random;
use crate::results::FigureRow;
use crate::{Result, print_line};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Goals.
const P99_MS: f64 = 50.0;
const MORE_MB: f64 = 400.0;
const CUT_S: f64 = 15.0;

/// Silent and slow connections. Together with the asking clients they stay below the server's limit
/// for connections. One address has as many as the server accepts from it.
const SILENT: usize = 9_000;
const SLOW: usize = 900;
const CONNECTIONS_PER_ADDRESS: usize = 150;
/// Number of asking clients, and their duration.
const CONNECTIONS: usize = 8;
const TIME: Duration = Duration::from_secs(6);
/// Interval between the bytes of a slow client, and its maximum duration.
const BYTE_EVERY: Duration = Duration::from_millis(200);
const SLOW_MAX: Duration = Duration::from_mins(1);

/// Requests submissions, first alone and then during the contention.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let program = bench.start_server(&bench.data).await?;
    let ids = Arc::new(bench.samples.ids.clone());
    let key = bench.data.key.clone();
    let requests: Requests = Arc::new(move |rng: &mut Random, out: &mut Vec<u8>| {
        out.extend(get_request(&format!("/v1/submissions/{}", rng.choose(&ids)), &key));
    });
    let send = || send_requests(program.address, CONNECTIONS, TIME, 1, &requests);
    let alone = send().await?;
    let before = program.anonymous_bytes();
    let mut silent = open_silent_connections(bench, program.address).await?;
    let slow: Vec<_> =
        (0..SLOW).map(|n| tokio::spawn(send_slowly(program.address, address_of(2, n)))).collect();
    let contended = send().await?;
    let more_mb = program.anonymous_bytes().saturating_sub(before) as f64 / 1e6;
    let mut lived_s = Vec::new();
    for slow in slow {
        lived_s.push(slow.await??.as_secs_f64());
    }
    let mut open = 0;
    for client in &mut silent {
        let again =
            get_request(&format!("/v1/submissions/{}", bench.samples.ids[0]), &bench.data.key);
        open += usize::from(client.send(&again, |_| ()).await.is_ok_and(|status| status == 200));
    }
    print_line(format!("{open} of {SILENT} silent connections were answered afterwards"));
    program.stop().await?;
    Ok(result_rows(&alone, &contended, more_mb, &lived_s, open))
}

fn result_rows(
    alone: &Sample,
    contended: &Sample,
    more_mb: f64,
    lived_s: &[f64],
    open: usize,
) -> Vec<FigureRow> {
    let figure = |sample: &Sample| {
        format!(
            "{:.0}/s, {:.2}/{:.1} ms",
            sample.rate(),
            sample.percentile_ms(50),
            sample.percentile_ms(99)
        )
    };
    let p99 = contended.percentile_ms(99);
    let longest = lived_s.iter().copied().fold(0.0, f64::max);
    vec![
        FigureRow::new(
            format!("get, {CONNECTIONS} connections, with {SILENT} silent and {SLOW} slow clients"),
            figure(contended),
        )
        .against(format!("{} alone", figure(alone)), p99 / alone.percentile_ms(99))
        .goal(format!("p99 ≤ {P99_MS} ms"), p99 <= P99_MS && contended.refused == 0),
        FigureRow::new("additional anonymous memory", format!("{more_mb:.1} MB"))
            .goal(format!("≤ {MORE_MB} MB"), more_mb <= MORE_MB),
        FigureRow::new(
            "slow request head is cut off",
            format!("{:.1} s, at most {longest:.1}", median(lived_s)),
        )
        .goal(format!("≤ {CUT_S} s"), longest <= CUT_S),
        FigureRow::new("silent clients answered afterwards", format!("{open} of {SILENT}"))
            .goal("all", open == SILENT),
    ]
}

/// Returns the address of a client; [`CONNECTIONS_PER_ADDRESS`] clients share one.
fn address_of(net: u8, n: usize) -> IpAddr {
    let host = u8::try_from(n / CONNECTIONS_PER_ADDRESS + 1).unwrap_or(u8::MAX);
    Ipv4Addr::new(127, 0, net, host).into()
}

/// Opens connections that get one response each, and then stay silent.
async fn open_silent_connections(bench: &Bench, address: SocketAddr) -> Result<Vec<Client>> {
    let request =
        get_request(&format!("/v1/submissions/{}", bench.samples.ids[0]), &bench.data.key);
    let mut connections = Vec::with_capacity(SILENT);
    for n in 0..SILENT {
        let mut client = Client::connect_from(address_of(1, n), address).await?;
        client.send(&request, |_| ()).await?;
        connections.push(client);
    }
    Ok(connections)
}

/// Sends a head byte by byte. Returns the time until the server closes the connection.
async fn send_slowly(address: SocketAddr, from: IpAddr) -> Result<Duration> {
    let mut stream = crate::client::stream_from(from, address).await?;
    let since = Instant::now();
    let head = b"GET /v1/submissions/sub_1 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
    for byte in head.iter().chain(std::iter::repeat(&b'a')) {
        if since.elapsed() > SLOW_MAX || !send_byte(&mut stream, *byte).await {
            break;
        }
    }
    Ok(since.elapsed())
}

/// Sends a byte, and waits until the next one is due. Returns false once the server has answered or
/// closed the connection.
async fn send_byte(stream: &mut TcpStream, byte: u8) -> bool {
    let mut answer = [0; 512];
    stream.write_all(&[byte]).await.is_ok()
        && tokio::time::timeout(BYTE_EVERY, stream.read(&mut answer)).await.is_err()
}
