//! Operators of criteria for answers.

/// How a criterion compares an answer with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldOperator {
    /// The answer, or an item of it, equals the value.
    Eq,
    /// The negation of [`FieldOperator::Eq`], so it also matches without an answer.
    Ne,
    /// The text of the answer, or of an item, contains the value. Case has no effect.
    Contains,
    /// The answer is a number or date that is not below the value.
    Gte,
    /// The answer is a number or date that is not above the value.
    Lte,
    /// There is no answer, or only white space or empty items.
    Empty,
    /// The negation of [`FieldOperator::Empty`].
    Filled,
}

impl FieldOperator {
    /// All operators, in the order of the documentation.
    pub const ALL: [Self; 7] =
        [Self::Eq, Self::Ne, Self::Contains, Self::Gte, Self::Lte, Self::Empty, Self::Filled];

    /// Returns the name in a query.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Contains => "contains",
            Self::Gte => "gte",
            Self::Lte => "lte",
            Self::Empty => "empty",
            Self::Filled => "filled",
        }
    }

    /// Returns whether the operator compares with a value.
    pub fn has_value(self) -> bool {
        !matches!(self, Self::Empty | Self::Filled)
    }
}
