//! A table of routes: what is routed and how it is described, in one line each.
//!
//! The router and the published document are both made from it, so that neither can have what the
//! other lacks. It handles no request itself.

use crate::Service;
use crate::openapi::{Describe, Endpoint};
use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use http::Method;

/// Routes and their descriptions.
#[derive(Default)]
pub(crate) struct Table {
    router: Router<Service>,
    endpoints: Vec<Endpoint>,
}

impl Table {
    /// Routes GET, and HEAD with it.
    pub(crate) fn get<H, T>(self, path: &'static str, handler: H, describe: Describe) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        self.on(Method::GET, MethodFilter::GET, path, handler, describe)
    }

    /// Routes POST.
    pub(crate) fn post<H, T>(self, path: &'static str, handler: H, describe: Describe) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        self.on(Method::POST, MethodFilter::POST, path, handler, describe)
    }

    /// Routes PUT.
    pub(crate) fn put<H, T>(self, path: &'static str, handler: H, describe: Describe) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        self.on(Method::PUT, MethodFilter::PUT, path, handler, describe)
    }

    /// Routes OPTIONS.
    pub(crate) fn options<H, T>(self, path: &'static str, handler: H, describe: Describe) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        self.on(Method::OPTIONS, MethodFilter::OPTIONS, path, handler, describe)
    }

    /// Routes DELETE.
    pub(crate) fn delete<H, T>(self, path: &'static str, handler: H, describe: Describe) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        self.on(Method::DELETE, MethodFilter::DELETE, path, handler, describe)
    }

    fn on<H, T>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        handler: H,
        describe: Describe,
    ) -> Self
    where
        H: Handler<T, Service>,
        T: 'static,
    {
        self.router = self.router.route(path, on(filter, handler));
        self.endpoints.push(Endpoint { method, path, describe });
        self
    }

    /// Returns what is routed.
    pub(crate) fn into_router(self) -> Router<Service> {
        self.router
    }

    /// Returns what is described.
    pub(crate) fn into_endpoints(self) -> Vec<Endpoint> {
        self.endpoints
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes;

    /// The paths that a router has, by its own word, beside those that every router has.
    fn routed(router: &Router<Service>) -> Vec<String> {
        let texts = |router: &Router<Service>| -> Vec<String> {
            format!("{router:?}").split('"').skip(1).step_by(2).map(str::to_owned).collect()
        };
        let always = texts(&Router::new());
        let mut paths = texts(router);
        paths.retain(|text| text.starts_with('/') && !always.contains(text));
        paths.sort();
        paths.dedup();
        paths
    }

    #[test]
    fn a_router_has_the_described_paths_and_no_other() {
        for table in routes::tables() {
            let Table { router, endpoints } = table;
            let mut described: Vec<_> = endpoints.iter().map(|it| it.path.to_owned()).collect();
            described.sort();
            described.dedup();
            assert!(!described.is_empty());
            assert_eq!(routed(&router), described);
        }
    }
}
