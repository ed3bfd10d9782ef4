//! Components that several pages share.

mod paginated;
mod sentiment;
