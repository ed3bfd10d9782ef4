//! Access to all forms, or to named ones: of API keys and of members (not in the specification).

use crate::{Environment, FormId};
use std::collections::HashSet;
use std::fmt;

/// Maximum number of forms that a key or a member names.
pub const NAMED_FORMS_MAX: usize = 100;

/// Forms that a member has access to: named ones, or `None` for all of the account, including later
/// ones. The default is all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormAccess(pub Option<Vec<FormId>>);

impl FormAccess {
    /// Returns whether the access includes a form of the account.
    ///
    /// ```
    /// # use contract::FormAccess;
    /// let [one, other] = ["frm_1", "frm_2"].map(|id| id.parse().unwrap());
    /// assert!(FormAccess::default().covers(&one));
    /// assert!(!FormAccess(Some(vec![other])).covers(&one));
    /// ```
    pub fn covers(&self, form: &FormId) -> bool {
        covers_form(self.named(), form)
    }

    /// Returns the named forms; `None` for all forms.
    pub fn named(&self) -> Option<&[FormId]> {
        self.0.as_deref()
    }
}

/// Returns whether a form is among the named forms; `None` names all forms.
pub(crate) fn covers_form(named: Option<&[FormId]>, form: &FormId) -> bool {
    named.is_none_or(|forms| forms.contains(form))
}

/// Problem of a list of forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidForms {
    /// The list is empty or too long. Contains its length.
    Count(usize),
    /// The list contains a form twice.
    Repeated(FormId),
    /// The account has no such form.
    Unknown(FormId),
    /// The form belongs to the other environment, which is named here.
    OtherEnvironment(FormId, Environment),
}

impl fmt::Display for InvalidForms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(
                f,
                "`forms` must name 1 to {NAMED_FORMS_MAX} forms, but names {count}; use `null` for \
                 all forms"
            ),
            Self::Repeated(form) => {
                write!(f, "`forms` names `{form}` more than once; name each form once")
            }
            Self::Unknown(form) => {
                write!(f, "`forms` names `{form}`, which is not a form of this account; remove it")
            }
            Self::OtherEnvironment(form, other) => write!(
                f,
                "`forms` names `{form}`, which belongs to the {other} environment; remove it"
            ),
        }
    }
}

impl std::error::Error for InvalidForms {}

/// Checks the length of a list of forms, and that it names each form once.
///
/// # Errors
/// [`InvalidForms::Count`] or [`InvalidForms::Repeated`].
pub fn check_list(forms: &[FormId]) -> Result<(), InvalidForms> {
    if !(1..=NAMED_FORMS_MAX).contains(&forms.len()) {
        return Err(InvalidForms::Count(forms.len()));
    }
    let mut seen = HashSet::new();
    match forms.iter().find(|form| !seen.insert(*form)) {
        Some(form) => Err(InvalidForms::Repeated(form.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_names_1_to_100_different_forms() {
        let form = |n: usize| -> FormId { format!("frm_{n}").parse().unwrap() };
        let check =
            |numbers: &[usize]| check_list(&numbers.iter().copied().map(form).collect::<Vec<_>>());
        let numbers: Vec<usize> = (0..=100).collect();
        assert_eq!(check(&numbers[..1]), Ok(()));
        assert_eq!(check(&numbers[..100]), Ok(()));
        assert_eq!(check(&numbers), Err(InvalidForms::Count(101)));
        assert_eq!(check(&[]), Err(InvalidForms::Count(0)));
        assert_eq!(check(&[1, 2, 1]), Err(InvalidForms::Repeated(form(1))));
    }
}
