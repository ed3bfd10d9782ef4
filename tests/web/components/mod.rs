//! Components that several pages share.

mod sentiment;
