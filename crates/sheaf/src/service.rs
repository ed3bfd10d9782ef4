//! `sheaf service`: the API of the specification, and the intake of forms, alone.

use service::Service;
use service::clock::SystemClock;
use std::sync::Arc;

use crate::config::Data;
use crate::country::Countries;
use crate::error::Result;
use crate::listen::Tls;
use crate::proxies::Proxies;
use crate::{args, insight, listen, plan_limit, serve, signals, stores};

/// Serves until a signal ends it.
///
/// # Errors
/// What keeps it from starting.
pub(crate) async fn run(data: &Data, args: args::Service) -> Result<()> {
    let ends = signals::listen()?;
    let limits = plan_limit::of(&args.limits.plan_limits)?;
    let proxies = Proxies::of(&args.listen, args.listen.behind_tls)?;
    let countries = Countries::open(&args.countries, &proxies)?;
    let tls = Tls::open(&args.listen.own_tls)?;
    let (listener, address) = listen::bind(args.listen.listen).await?;
    let store = Arc::new(stores::open_to_serve(data, &args.memory)?);
    store.keep_watch()?;
    let service = Service::with_limits(store, Arc::new(SystemClock), limits).await?;
    let insight = insight::prepare(&service, &args.insight)?;
    let (api, intake) =
        (service::public(service.clone()), countries.around(service::ingest(service.clone())));
    let served = serve::Beside { service, door: api.clone(), api, intake };
    serve::announce(address, args.listen.speaks_tls())?;
    let insight = insight.start();
    listen::serve(listener, served, tls, proxies, ends).await;
    insight.stop().await;
    Ok(())
}
