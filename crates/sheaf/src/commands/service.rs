//! `sheaf service`: the API and the form intake, without gateway and dashboard.

use api::Service;
use std::sync::Arc;
use store::clock::SystemClock;

use crate::commands::serve;
use crate::config::Data;
use crate::country::Countries;
use crate::error::Result;
use crate::operator::Operator;
use crate::{args, insight, plan_limit, sharing, stores};
use server::Proxies;
use server::signals;

/// Serves until a signal stops the server.
///
/// # Errors
/// The server cannot start.
pub(crate) async fn run(data: &Data, args: args::Service) -> Result<()> {
    let ends = signals::listen()?;
    // Options are checked before anything is opened, so that a wrong option is reported even if the
    // port is in use.
    args.listen.check()?;
    let limits = plan_limit::of(&args.limits.plan_limits)?;
    let place = stores::place_to_serve(data, &args.database_use)?;
    let insight = insight::Setup::of(&args.insight)?;
    let proxies = Proxies::of(&args.listen.trusted_proxy, args.listen.behind_tls)?;
    let countries = Countries::open(&args.countries, &args.listen, &proxies)?;
    let tls = args.listen.own_tls.open()?;
    let operator = Operator::open(&args.operator).await?;
    let (listeners, bound) = server::open(&args.listen.listen, args.listen.socket_mode()).await?;
    let opened = stores::open_to_serve(place.clone(), &args.memory).await?;
    opened.keep_watch()?;
    operator.watch(&opened);
    let service = Service::with_limits(opened.store(), Arc::new(SystemClock), limits).await?;
    if let Some(shared) = sharing::open(&args.sharing, place).await? {
        operator.watch_limits(&shared);
        service.share_limits(shared);
    }
    service.finish_deletions();
    service.start_purging();
    let insight = insight.over(&service, opened.store());
    let api = api::public(service.clone());
    let intake = countries.around(api::intake(service));
    let router = serve::beside(api.clone(), intake, api);
    serve::announce(&bound, args.listen.speaks_tls())?;
    operator.start()?;
    let insight = insight.start();
    let (meter, ends) = (operator.meter(), operator.heralded(ends));
    server::serve(listeners, router, tls, proxies, meter, ends).await;
    insight.stop().await;
    opened.finish().await;
    operator.close().await;
    Ok(())
}
