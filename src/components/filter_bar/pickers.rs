//! Pickers of the panel of properties: labels with counts, ranges of numbers, and UTM values.

pub(super) mod labels;
pub(super) mod range;
pub(super) mod utm;
