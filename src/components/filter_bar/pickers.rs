//! Pickers of the panel of properties: criteria for fields, labels with counts, the read state,
//! ranges of numbers, and UTM values.

pub(super) mod field;
pub(super) mod labels;
pub(super) mod range;
pub(super) mod read;
pub(super) mod utm;
