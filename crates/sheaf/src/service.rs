//! `sheaf service`: the API of the specification, and the intake of forms, alone.

use service::Service;
use service::clock::SystemClock;
use std::sync::Arc;

use crate::config::Data;
use crate::country::Countries;
use crate::error::Result;
use crate::{args, listen, serve, signals, stores};

/// Serves until a signal ends it.
///
/// # Errors
/// What keeps it from starting.
pub(crate) async fn run(data: &Data, args: args::Service) -> Result<()> {
    let ends = signals::listen()?;
    let countries = Countries::open(&args.countries, args.listen.behind_tls)?;
    let (listener, address) = listen::bind(args.listen.listen).await?;
    let store = Arc::new(stores::open_to_serve(data, &args.memory)?);
    let service = Service::new(store, Arc::new(SystemClock)).await?;
    let (api, intake) =
        (service::public(service.clone()), countries.around(service::ingest(service)));
    let router = serve::beside(api.clone(), intake, api);
    serve::announce(address)?;
    listen::serve(listener, router, args.listen.behind_tls, ends).await;
    Ok(())
}
