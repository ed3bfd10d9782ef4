//! Macro for enums with a name for each value.

/// Declares an enum with the name of each value, and adds `ALL` and `as_str`.
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$value_attribute:meta])* $value:ident = $text:literal,)*
        }
    ) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$value_attribute])* $value,)*
        }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$value),*];

            /// Returns the name used in JSON, queries and paths.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }
        }
    };
}

pub(crate) use named_enum;
