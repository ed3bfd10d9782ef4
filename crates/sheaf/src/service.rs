//! `sheaf service`: the API of the specification alone.

use service::Service;
use service::clock::SystemClock;
use std::sync::Arc;

use crate::config::Data;
use crate::error::Result;
use crate::{args, listen, plan_limit, serve, signals, stores};

/// Serves until a signal ends it.
///
/// # Errors
/// What keeps it from starting.
pub(crate) async fn run(data: &Data, args: args::Service) -> Result<()> {
    let ends = signals::listen()?;
    let limits = plan_limit::of(&args.limits.plan_limits)?;
    let (listener, address) = listen::bind(args.listen.listen).await?;
    let store = Arc::new(stores::open_to_serve(data, &args.memory)?);
    let service = Service::with_limits(store, Arc::new(SystemClock), limits).await?;
    serve::announce(address)?;
    listen::serve(listener, service::public(service), args.listen.behind_tls, ends).await;
    Ok(())
}
