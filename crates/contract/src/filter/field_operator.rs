//! Operators of criteria for answers.

use crate::named_enum::named_enum;

// Error messages list the operators in this order, which is also that of the documentation.
named_enum! {
    /// How a criterion compares an answer with its value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum FieldOperator {
        /// The answer, or an item of it, equals the value.
        Eq = "eq",
        /// The negation of [`FieldOperator::Eq`], so it also matches without an answer.
        Ne = "ne",
        /// The text of the answer, or of an item, contains the value. Case has no effect.
        Contains = "contains",
        /// The answer is a number or date that is not below the value.
        Gte = "gte",
        /// The answer is a number or date that is not above the value.
        Lte = "lte",
        /// There is no answer, or only white space or empty items.
        Empty = "empty",
        /// The negation of [`FieldOperator::Empty`].
        Filled = "filled",
    }
}

impl FieldOperator {
    /// Returns whether the operator compares with a value.
    pub fn has_value(self) -> bool {
        !matches!(self, Self::Empty | Self::Filled)
    }
}
