//! Parts that several pages share.

mod sentiment;
