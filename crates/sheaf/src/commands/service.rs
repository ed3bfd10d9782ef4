//! `sheaf service`: the API, the form intake and the links in e-mails, without gateway and
//! dashboard.

use api::Service;
use std::sync::Arc;
use store::clock::SystemClock;

use crate::commands::serve;
use crate::config::Data;
use crate::country::CountrySource;
use crate::error::Result;
use crate::operator::Operator;
use crate::workers::WorkerOptions;
use crate::{args, instance_limits, plan_limit, stores};
use server::TrustedProxies;
use server::signals;

/// Serves until a signal stops the server.
///
/// # Errors
/// The server cannot start.
pub(crate) async fn run(data: &Data, args: args::Service) -> Result<()> {
    let ends = signals::listen_for_signals()?;
    // Options are checked before anything is opened, so that a wrong option is reported even if the
    // port is in use.
    args.listen.check()?;
    let limits = plan_limit::collect_plan_limits(&args.limits.plan_limits)?;
    let location = stores::server_location(data, &args.database_use)?;
    let workers =
        WorkerOptions::check_options(&args.insight, &args.webhooks, &args.mail, &args.public)?;
    let is_behind_tls = serve::is_behind_tls(&args.listen, &args.public);
    let proxies = TrustedProxies::from_args(&args.listen.trusted_proxy, is_behind_tls)?;
    let countries = CountrySource::open(&args.countries, &args.listen, &proxies)?;
    let tls = args.listen.own_tls.load()?;
    let operator = Operator::open(&args.operator).await?;
    let (listeners, bound) =
        server::bind_all(&args.listen.listen, args.listen.socket_mode()).await?;
    let opened = stores::open_server_store(location.clone(), &args.memory).await?;
    opened.start_background_tasks()?;
    operator.watch(&opened);
    let service = Service::with_limits(opened.store(), Arc::new(SystemClock), limits).await?;
    if let Some(shared) = instance_limits::open_shared_limits(&args.sharing, location).await? {
        operator.watch_limits(&shared);
        service.share_limits(shared);
    }
    service.finish_deletions();
    service.start_purging();
    let workers = workers.prepare(&service, &opened, &operator).await?;
    let api = api::public_router(service.clone());
    let intake = countries.layer(api::intake_router(service.clone()));
    let links = api::notification_links_router(service);
    let router = serve::combine_routers(api.clone(), intake, links, api);
    serve::print_addresses(&bound, args.listen.terminates_tls())?;
    operator.start()?;
    let workers = workers.start();
    let meter = operator.meter();
    let ends = operator.shutdown_after_linger(ends, || {});
    server::serve(listeners, router, tls, proxies, meter, ends).await;
    workers.stop().await;
    opened.finish().await;
    operator.close().await;
    Ok(())
}
