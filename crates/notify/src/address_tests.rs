//! Tests of the address policy: spellings of addresses and names, and names with several addresses.

use super::*;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use tokio::sync::oneshot;

/// Resolver with a few names.
struct Names;

#[async_trait]
impl Resolver for Names {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let addresses: &[&str] = match host {
            "public.example" | "public.example." | "xn--bcher-kva.example" => &["93.184.215.14"],
            "both.example" => &["93.184.215.14", "2606:2800:21f::1"],
            "nat64.example" => &["64:ff9b::5db8:d70e"],
            "mapped.example" => &["::ffff:93.184.215.14"],
            "localhost" | "localhost." | "loop.example" => &["127.0.0.1", "::1"],
            "mixed.example" => &["93.184.215.14", "10.0.0.1"],
            "last.example" => &["2606:2800:21f::1", "::ffff:192.168.0.1"],
            "metadata.example" => &["169.254.169.254"],
            "private.example" => &["10.1.2.3"],
            "empty.example" => &[],
            other => return Err(io::Error::other(format!("no such name: {other}"))),
        };
        Ok(addresses.iter().map(|text| text.parse().unwrap()).collect())
    }
}

fn policy(networks: &[&str]) -> AddressPolicy {
    let networks = networks.iter().map(|text| text.parse().unwrap()).collect();
    AddressPolicy::new(true, networks).with_resolver(Arc::new(Names))
}

#[tokio::test]
async fn public_hosts_are_allowed() {
    for url in [
        "https://public.example/hook",
        "https://PUBLIC.example/hook",
        "https://public.example./hook",
        "https://public.example:8443/hook?token=1",
        "http://public.example",
        "https://bücher.example",
        "https://BÜCHER.example",
        "https://both.example",
        "https://nat64.example",
        "https://mapped.example",
        "https://93.184.215.14/",
        "https://1572394766/",
        "https://0x5db8d70e/",
        "https://0135.0270.0327.016/",
        "https://[2606:2800:21f::1]/",
        "https://[::ffff:93.184.215.14]/",
    ] {
        assert_eq!(policy(&[]).check_url(url).await, Ok(()), "{url}");
    }
}

#[tokio::test]
async fn private_hosts_are_refused() {
    for url in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://127.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0X7F.0.0.0x1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://127.0.0.1./",
        "http://127%2e0.0.1/",
        "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
        "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
        "http://127\u{3002}0\u{3002}0\u{3002}1/",
        "http://0/",
        "http://0.0.0.0:8080/",
        "http://10.1/",
        "http://167772161/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.0251.0376/",
        "http://192.168.257/",
        "http://192.168.0.1:8443/",
        "http://100.64.0.1/",
        "http://[::]/",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::127.0.0.1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[0:0:0:0:0:ffff:169.254.169.254]/",
        "http://[64:ff9b::127.0.0.1]/",
        "http://[64:ff9b:1::127.0.0.1]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:0:7f00:1::]/",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1]/",
        "http://[FEC0::1]/",
        "http://localhost/",
        "http://LOCALHOST/",
        "http://localhost./",
        "http://\u{ff4c}ocalhost/",
        "http://loop.example:8080/",
        "http://mixed.example/",
        "http://last.example/",
        "http://metadata.example/",
        "http://private.example/",
        "http://empty.example/",
        "http://unknown.example/",
        "http:\\\\localhost\\x",
        "http:localhost",
    ] {
        let refused = policy(&[]).check_url(url).await;
        assert!(matches!(refused, Err(UrlError::Host(_))), "{url}: {refused:?}");
    }
}

#[tokio::test]
async fn malformed_hosts_are_refused() {
    for url in [
        "http://256.0.0.1/",
        "http://127.0.0.1.1.1.1.1/",
        "http://4294967296/",
        "http://0x100000000/",
        "http://127.0.0.0x/x",
        "http://[::1%25lo]/",
        "http://[127.0.0.1]/",
        "http://local host/",
        "http://a<b/",
        "http://xn--/",
        "http:///",
        "http://%00/",
    ] {
        let refused = policy(&[]).check_url(url).await;
        assert!(
            matches!(refused, Err(UrlError::Syntax(_) | UrlError::Host(_))),
            "{url}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn named_networks_are_allowed() {
    let check = async |network: &str, url: &str, allowed: bool| {
        let result = policy(&[network]).check_url(url).await;
        assert_eq!(result.is_ok(), allowed, "{network} {url}");
    };
    check("127.0.0.0/8", "http://127.0.0.1:8080/", true).await;
    check("127.0.0.0/8", "http://[::ffff:127.0.0.1]/", true).await;
    check("127.0.0.0/8", "http://[::1]/", false).await;
    check("127.0.0.0/8", "http://localhost/", false).await;
    check("::1/128", "http://[::1]/", true).await;
    check("::/0", "http://127.0.0.1/", false).await;
    check("10.0.0.0/8", "http://private.example/", true).await;
    check("10.0.0.0/8", "http://mixed.example/", true).await;
    check("10.2.0.0/16", "http://private.example/", false).await;
    check("10.0.0.0/8", "http://192.168.0.1/", false).await;
    check("2002::/16", "http://[2002:7f00:1::]/", true).await;
}

#[tokio::test]
async fn default_policy_requires_https() {
    let policy = AddressPolicy::default().with_resolver(Arc::new(Names));
    assert_eq!(policy.check_url("https://public.example").await, Ok(()));
    let refused = policy.check_url("http://public.example").await.unwrap_err();
    assert!(matches!(refused, UrlError::Scheme { .. }), "{refused}");
    let refused = policy.check_url("https://loop.example").await.unwrap_err().to_string();
    assert!(refused.contains("`loop.example`") && !refused.contains("127"), "{refused}");
    assert!(!format!("{policy:?}").contains("resolver"));
}

/// Polls a future once, and returns whether it is pending.
async fn is_pending<F: Future>(mut future: Pin<&mut F>) -> bool {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
}

#[tokio::test]
async fn abandoned_lookup_keeps_its_permit() {
    static LIMIT: Semaphore = Semaphore::const_new(1);
    let (finish, finished) = oneshot::channel();
    let lookup = async { finished.await.map(|()| Vec::new()).map_err(io::Error::other) };
    let mut caller = Box::pin(run_limited(&LIMIT, lookup));
    assert!(is_pending(caller.as_mut()).await);
    drop(caller);
    // The lookup begins now.
    tokio::task::yield_now().await;
    assert_eq!(LIMIT.available_permits(), 0);
    finish.send(()).unwrap();
    let found = run_limited(&LIMIT, async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) }).await;
    assert_eq!(found.unwrap().len(), 1);
}

#[tokio::test]
async fn system_resolver_finds_local_host() {
    let mut lookup = Box::pin(SystemResolver.resolve("localhost"));
    assert!(is_pending(lookup.as_mut()).await);
    assert_eq!(LOOKUPS.available_permits(), 31);
    let addresses = lookup.await.unwrap();
    assert!(!addresses.is_empty() && addresses.iter().all(IpAddr::is_loopback), "{addresses:?}");
}
