//! The forms of the submissions of the inbox: a request changes or lists submissions of one form.

use contract::{FormId, Submission, SubmissionId};
use leptos::prelude::*;

use super::TriageState;

/// Submissions of one form.
pub(super) type FormGroup = (FormId, Vec<SubmissionId>);

impl TriageState {
    /// Records the forms of submissions.
    pub fn add_forms(self, submissions: &[Submission]) {
        for Submission { id, form_id, .. } in submissions {
            self.add_ids(form_id, std::slice::from_ref(id));
        }
    }

    /// Records the form of submissions.
    pub fn add_ids(self, form: &FormId, ids: &[SubmissionId]) {
        self.forms.try_update_value(|forms| {
            forms.extend(ids.iter().map(|id| (id.clone(), form.clone())));
        });
    }

    /// Groups submissions of a form, or of the inbox without a form, by their forms. Leaves out
    /// those of an unknown form.
    pub(super) fn group_by_form(
        self,
        form: Option<&FormId>,
        ids: &[SubmissionId],
    ) -> Vec<FormGroup> {
        if let Some(form) = form {
            return vec![(form.clone(), ids.to_vec())];
        }
        let mut groups: Vec<FormGroup> = Vec::new();
        self.forms.try_with_value(|forms| {
            for id in ids {
                let Some(form) = forms.get(id) else { continue };
                match groups.iter_mut().find(|group| group.0 == *form) {
                    Some(group) => group.1.push(id.clone()),
                    None => groups.push((form.clone(), vec![id.clone()])),
                }
            }
        });
        groups
    }
}
