//! `sheaf gateway`: the gateway and the dashboard in front of another API server.

use gateway::upstream::{UpstreamTimeouts, upstream_client};
use gateway::{Config, Credentials, SystemClock};
use std::sync::Arc;

use crate::commands::serve;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::gateway_adapter::StoreAccounts;
use crate::key_files::KeyFiles;
use crate::operator::Operator;
use crate::{args, authorities, identity, stores};
use server::TrustedProxies;
use server::signals;

/// Serves until a signal stops the server.
///
/// # Errors
/// The server cannot start.
pub(crate) async fn run(data: &Data, args: args::Gateway) -> Result<()> {
    let shutdown = signals::listen_for_signals()?;
    // Options are checked before anything is opened, so that a wrong option is reported even if the
    // port is in use.
    args.listen.check()?;
    if args.identity.provision.is_some() {
        // All users of a gateway share its keys, so a provisioned user could read and delete
        // everything.
        return Err(Error::invalid(
            "`sheaf gateway` does not support `--provision`: it would give all users of your proxy \
             access to all data of the upstream; add users with `sheaf account create` and `sheaf \
             account link-identity`",
        ));
    }
    data.location()?;
    let keys = KeyFiles::read(args.key_live_file.as_deref(), args.key_test_file.as_deref())?;
    let invalid = |problem: String| Error::invalid(format!("`--upstream` is wrong: {problem}"));
    let upstream = args.upstream.parse().map_err(|error| invalid(format!("{error}")))?;
    let trust = authorities::read_trust(args.upstream_ca.as_deref())?;
    let clock = Arc::new(SystemClock::default());
    let upstream = upstream_client(&upstream, UpstreamTimeouts::default(), &trust, clock)
        .map_err(|error| invalid(error.to_string()))?;
    let is_behind_tls = serve::is_behind_tls(&args.listen, &args.public);
    let proxies = TrustedProxies::from_args(&args.listen.trusted_proxy, is_behind_tls)?;
    let identity =
        identity::IdentityOptions::check_options(&args.identity, &args.listen, &proxies).await?;
    let tls = args.listen.own_tls.load()?;
    let operator = Operator::open(&args.operator).await?;
    operator.readiness.watch_upstream(upstream.clone());
    let (listeners, bound) =
        server::bind_all(&args.listen.listen, args.listen.socket_mode()).await?;
    let opened = stores::open_store(data).await?;
    operator.readiness.watch_store(opened.downgrade());
    let store = opened.store();
    let has_tls = args.listen.terminates_tls();
    let has_own_sign_in = identity.is_none();
    let identity = identity::build_rules(identity, &store).await?;
    let config = serve::gateway_config(is_behind_tls || has_tls, &bound);
    let config = Config { proxy_auth: identity, ..config };
    let accounts = Arc::new(StoreAccounts(Arc::clone(&store)));
    let router =
        gateway::router(config, accounts, Credentials::Keys(Arc::new(keys)), upstream, None);
    let router = identity::mark_trusted_requests(router);
    serve::print_addresses(&bound, has_tls)?;
    operator.start()?;
    if has_own_sign_in {
        let may_print_link = serve::may_print_link(&bound, false);
        let base = serve::base_url(&args.public, &bound, has_tls);
        serve::print_sign_in_link(store.as_ref(), &base, false, may_print_link).await?;
    }
    let meter = operator.meter();
    let shutdown = operator.shutdown_after_linger(shutdown, || {});
    server::serve(listeners, router, tls, proxies, meter, shutdown).await;
    opened.finish().await;
    operator.close().await;
    Ok(())
}
