//! `sheaf serve`: the API, the gateway and the dashboard in one process. `sheaf service`: only the
//! API.

use api::Service;
use axum::Router;
use axum::body::Body;
use contract::Account;
use gateway::{Config, Credentials};
use hyper::Request;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store::clock::SystemClock;
use store::{AccountRecord, Store};
use tower::ServiceExt as _;

use crate::commands::health::connectable_address;
use crate::commands::{account, sample_data};
use crate::config::Data;
use crate::country::CountrySource;
use crate::error::Result;
use crate::gateway_adapter::StoreAccounts;
use crate::operator::Operator;
use crate::workers::WorkerOptions;
use crate::{args, identity, instance_limits, output, plan_limit, stores};
use server::TrustedProxies;
use server::signals;
use server::{BoundAddresses, ListenAddress};

/// Serves until a signal stops the server.
///
/// # Errors
/// The server cannot start.
pub(crate) async fn run(data: &Data, args: args::Serve) -> Result<()> {
    run_server(data, &args.listen, &args.operator, &args.api, Some(&args)).await
}

/// Runs `sheaf service`: the API, the form intake and the links in e-mails, without gateway and
/// dashboard.
///
/// # Errors
/// As [`run`].
pub(crate) async fn run_service(data: &Data, args: args::Service) -> Result<()> {
    run_server(data, &args.listen, &args.operator, &args.api, None).await
}

/// Serves the API, and with the options `dashboard` also the gateway and the dashboard.
async fn run_server(
    data: &Data,
    listen: &args::Listen,
    operator: &args::Operator,
    args: &args::ApiArgs,
    dashboard: Option<&args::Serve>,
) -> Result<()> {
    let ends = signals::listen_for_signals()?;
    // Options are checked before anything is opened, so that a wrong option is reported even if the
    // port is in use.
    listen.check()?;
    let limits = plan_limit::collect_plan_limits(&args.limits.plan_limits)?;
    let location = stores::server_location(data, &args.database_use)?;
    let workers =
        WorkerOptions::check_options(&args.insight, &args.webhooks, &args.mail, &args.public)?;
    let is_behind_tls = is_behind_tls(listen, &args.public);
    let proxies = TrustedProxies::from_args(&listen.trusted_proxy, is_behind_tls)?;
    let countries = CountrySource::open(&args.countries, listen, &proxies)?;
    let identity = match dashboard {
        Some(serve) => {
            identity::IdentityOptions::check_options(&serve.identity, listen, &proxies).await?
        }
        None => None,
    };
    let tls = listen.own_tls.load()?;
    let operator = Operator::open(operator).await?;
    let (listeners, bound) = server::bind_all(&listen.listen, listen.socket_mode()).await?;
    let opened = stores::open_server_store(location.clone(), &args.memory).await?;
    opened.start_background_tasks()?;
    let store = opened.store();
    let is_sample = dashboard.is_some_and(|serve| serve.sample);
    if is_sample {
        sample_data::create_if_empty(store.as_ref()).await?;
    }
    operator.readiness.watch_store(opened.downgrade());
    let service = Service::with_limits(Arc::clone(&store), Arc::new(SystemClock), limits).await?;
    let shared = instance_limits::open_shared_limits(&args.sharing, location).await?;
    if let Some(shared) = &shared {
        operator.readiness.watch_limits(shared);
        service.share_limits(shared.clone());
    }
    service.finish_deletions();
    service.start_purging();
    let mut workers = workers.prepare(&service, &opened, &operator).await?;
    let has_tls = listen.terminates_tls();
    let signs_in_here = dashboard.is_some() && identity.is_none();
    let api = api::public_router(service.clone());
    let gateway_router = match dashboard {
        Some(serve) => {
            let config = Config {
                proxy_auth: identity::build_rules(identity, &store).await?,
                login_attempts: instance_limits::login_attempts(shared.as_ref()),
                mail: workers.take_gateway_mail(),
                first_rows_wait: Duration::from_secs(serve.first_rows_wait),
                ..gateway_config(is_behind_tls || has_tls, &bound)
            };
            let accounts = Arc::new(StoreAccounts(Arc::clone(&store)));
            let actions = Some(api::account(service.clone()));
            let router =
                gateway::router(config, accounts, Credentials::Principal, api.clone(), actions);
            identity::mark_trusted_requests(router)
        }
        None => api.clone(),
    };
    let intake = countries.layer(api::intake_router(service.clone()));
    let links = api::notification_links_router(service.clone());
    print_addresses(&bound, has_tls)?;
    operator.start()?;
    if signs_in_here {
        let may_print_link = may_print_link(&bound, is_sample);
        let base = base_url(&args.public, &bound, has_tls);
        print_sign_in_link(store.as_ref(), &base, is_sample, may_print_link).await?;
    }
    let workers = workers.start();
    let meter = operator.meter();
    let ends = operator.shutdown_after_linger(ends, move || service.close_streams());
    let router = combine_routers(api, intake, links, gateway_router);
    server::serve(listeners, router, tls, proxies, meter, ends).await;
    workers.stop().await;
    opened.finish().await;
    operator.close().await;
    Ok(())
}

/// Combines four routers: `/v1` and public paths go to the API, `/f` to the intake, `/n` to the
/// links in e-mails, and all others to the gateway. They cannot be merged, because each has its own
/// fallback.
fn combine_routers(api: Router, intake: Router, links: Router, gateway: Router) -> Router {
    let answer = move |request: Request<Body>| {
        let path = request.uri().path();
        let router = match path.split('/').nth(1) {
            Some("f") => &intake,
            Some("n") => &links,
            _ if api::is_public(path) => &api,
            _ => &gateway,
        };
        router.clone().oneshot(request)
    };
    Router::new().fallback_service(tower::service_fn(answer))
}

/// Whether a proxy terminates TLS. A public URL with `https` implies this, unless the server
/// terminates TLS itself.
pub(crate) fn is_behind_tls(listen: &args::Listen, public: &args::PublicUrlArgs) -> bool {
    let url = public.public_url.as_deref();
    let is_https = url.is_some_and(|url| url.starts_with("https://"));
    listen.behind_tls || is_https && !listen.terminates_tls()
}

/// Returns the gateway's configuration for the listen addresses. Warns if other machines can
/// connect without TLS.
pub(crate) fn gateway_config(secure_cookies: bool, bound: &BoundAddresses) -> gateway::Config {
    let address = bound.first_tcp_address().filter(|address| !address.ip().is_loopback());
    if let Some(address) = address.filter(|_| !secure_cookies) {
        tracing::warn!(
            "other machines can connect to `{address}` without TLS, and the traffic can be read; \
             set a certificate with `--tls-cert`, or use a proxy with TLS and set `--behind-tls`"
        );
    }
    gateway::Config { secure_cookies, ..gateway::Config::default() }
}

/// Returns the base URL of the dashboard. Empty if only the proxy knows it.
pub(crate) fn base_url(
    public: &args::PublicUrlArgs,
    bound: &BoundAddresses,
    has_tls: bool,
) -> String {
    let local =
        || bound.first_tcp_address().map(|address| local_url(address, has_tls)).unwrap_or_default();
    public.public_url.clone().unwrap_or_else(local)
}

/// Returns the URL for a browser on this machine.
fn local_url(address: SocketAddr, has_tls: bool) -> String {
    let scheme = if has_tls { "https" } else { "http" };
    format!("{scheme}://{}", connectable_address(address))
}

/// Prints the listen addresses.
///
/// # Errors
/// Standard output is closed.
pub(crate) fn print_addresses(bound: &BoundAddresses, has_tls: bool) -> Result<()> {
    bound.0.iter().try_for_each(|listen_address| match listen_address {
        ListenAddress::Tcp(address) => {
            output::print_line(format!("listening on {}", local_url(*address, has_tls)))
        }
        ListenAddress::Socket(_) => output::print_line(format!("listening on {listen_address}")),
    })
}

/// Whether a sign-in link may be printed. The output of a service goes to a journal or a container
/// log, which more people can read than may sign in. A link is therefore printed only on a
/// terminal, or with sample data on a loopback address.
pub(crate) fn may_print_link(bound: &BoundAddresses, is_sample: bool) -> bool {
    std::io::stdout().is_terminal() || is_sample && bound.is_loopback()
}

/// Prints how to sign in, if the only account has no password or sample data are requested. With
/// `may_print_link` this is a link, otherwise the command that creates one. Without an account,
/// prints how to create one.
///
/// # Errors
/// The store fails, or standard output is closed.
pub(crate) async fn print_sign_in_link(
    store: &dyn Store,
    base: &str,
    is_sample: bool,
    may_print_link: bool,
) -> Result<()> {
    let records = store.list_accounts().await?;
    let Some(account) = account_to_sign_in(&records, is_sample) else {
        return if records.is_empty() {
            output::print_line(
                "there is no account yet; create one with `sheaf account create --email \
                 you@example.com --plan pro`, then `sheaf account sign-in-link --account \
                 you@example.com`",
            )
        } else {
            Ok(())
        };
    };
    if !may_print_link {
        let (url, hint) =
            if base.is_empty() { ("ADDRESS", " with your proxy's ADDRESS") } else { (base, "") };
        return output::print_line(format!(
            "to get a sign-in link, run `sheaf account sign-in-link --account {} --url {url}`{hint}",
            account.email
        ));
    }
    let owner = stores::find_member(store, account.id.as_str()).await?;
    let link = account::sign_in_link(store, &owner.id, base).await?;
    let below = if base.is_empty() { ", at the proxy's address" } else { "" };
    let terms = format!("works once, within 15 minutes{below}");
    output::print_line(format!("sign in as {} ({terms}):\n{link}", account.email))
}

fn account_to_sign_in(records: &[AccountRecord], is_sample: bool) -> Option<&Account> {
    let owner = records.iter().find(|record| record.account.email == sample_data::SAMPLE_OWNER);
    let greeted = match records {
        [only] if is_sample || only.password_hash.is_none() => Some(only),
        _ if is_sample => owner.or(records.first()),
        _ => None,
    };
    greeted.map(|record| &record.account)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public_args(public_url: Option<&str>) -> args::PublicUrlArgs {
        args::PublicUrlArgs { public_url: public_url.map(str::to_owned) }
    }

    #[test]
    fn base_url_opens_on_this_machine() {
        let check = |address: &str, url: &str| {
            let address = address.parse().unwrap();
            assert_eq!(local_url(address, false), url);
            assert_eq!(local_url(address, true), url.replacen("http", "https", 1));
        };
        check("127.0.0.1:8080", "http://127.0.0.1:8080");
        check("0.0.0.0:80", "http://127.0.0.1:80");
        check("[::]:80", "http://[::1]:80");
        check("192.0.2.7:80", "http://192.0.2.7:80");
        let bound = |text: &str| BoundAddresses(vec![text.parse().unwrap()]);
        let tcp = bound("127.0.0.1:8080");
        let socket = bound("unix:/run/sheaf/sheaf.sock");
        let url = "https://a.example";
        assert_eq!(base_url(&public_args(Some(url)), &tcp, false), url);
        assert_eq!(base_url(&public_args(Some(url)), &socket, false), url);
        assert_eq!(base_url(&public_args(None), &tcp, false), "http://127.0.0.1:8080");
        assert_eq!(base_url(&public_args(None), &socket, false), "");
    }

    #[test]
    fn cookies_are_secure_behind_tls() {
        let address: ListenAddress = "127.0.0.1:8080".parse().unwrap();
        let bound = BoundAddresses(vec![address.clone()]);
        let secure = |url: Option<&str>, behind_tls: bool| {
            let own_tls = args::OwnTls { tls_cert: Some("cert.pem".into()), tls_key: None };
            let trusted_proxy = Vec::new();
            let listen = args::Listen {
                listen: vec![address.clone()],
                socket_mode: None,
                behind_tls,
                trusted_proxy,
                own_tls,
            };
            // No proxy is trusted, because the server terminates TLS itself.
            assert_eq!(is_behind_tls(&listen, &public_args(url)), behind_tls);
            let listen = args::Listen { own_tls: args::OwnTls::default(), ..listen };
            gateway_config(is_behind_tls(&listen, &public_args(url)), &bound).secure_cookies
        };
        assert!(!secure(None, false));
        assert!(!secure(Some("http://a.example"), false));
        assert!(secure(None, true));
        assert!(secure(Some("https://a.example"), false));
    }
}
