//! What columns become.
