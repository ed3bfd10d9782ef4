//! Forms and their settings, on a server with the capability `form_management`.

use contract::form::FORMS_MAX;
use contract::insight::{
    Categories, FormAnalysis, FormCategories, InsightUsage, NewCategories, SetAnalysis,
};
use contract::{
    FieldEdits, Form, FormCopy, FormId, FormName, Intake, ListQuery, MaybePage, NewForm, Page,
    SpamSubmission, SubmissionId,
};

use super::{
    ApiError,
    request::{get, get_data, post, post_empty, put, read_data, remove},
};
use crate::routes;

/// Lists all forms of the owner in both environments, oldest first. Requests page after page.
pub async fn forms() -> Result<Vec<Form>, ApiError> {
    let mut forms = Vec::new();
    let mut cursor = None;
    loop {
        let page = get::<MaybePage<Form>>(&routes::account_forms(cursor), None).await?.body;
        cursor = page.next_cursor().map(str::to_owned);
        forms.extend(page.data);
        // Limits the requests to a server that always returns another cursor.
        if cursor.is_none() || forms.len() >= FORMS_MAX {
            return Ok(forms);
        }
    }
}

/// Returns a form with its fields.
pub async fn get_form(form: &FormId) -> Result<Form, ApiError> {
    get_data(&routes::account_form(form), None).await
}

/// Creates a form.
pub async fn create_form(form: &NewForm) -> Result<Form, ApiError> {
    read_data(post(routes::ACCOUNT_FORMS, form).await?).await
}

/// Renames a form.
pub async fn rename_form(form: &FormId, name: String) -> Result<Form, ApiError> {
    read_data(put(&routes::account_form(form), &FormName { name }).await?).await
}

/// Creates a form with the fields and settings of another one, without its submissions.
pub async fn duplicate_form(form: &FormId) -> Result<Form, ApiError> {
    let copy = FormCopy { name: None };
    read_data(post(&routes::account_form_part(form, "duplicate"), &copy).await?).await
}

/// Deletes a form with all its data. `name` must be the name of the form.
pub async fn delete_form(form: &FormId, name: String) -> Result<(), ApiError> {
    post(&routes::account_form_part(form, "delete"), &FormName { name }).await.map(|_| ())
}

/// Adds, renames, reorders and deletes fields.
pub async fn set_fields(form: &FormId, edits: &FieldEdits) -> Result<Form, ApiError> {
    read_data(put(&routes::account_form_part(form, "fields"), edits).await?).await
}

/// Returns the intake settings of a form.
pub async fn get_intake(form: &FormId) -> Result<Intake, ApiError> {
    get_data(&routes::account_form_part(form, "intake"), None).await
}

/// Replaces the intake settings of a form.
pub async fn set_intake(form: &FormId, intake: &Intake) -> Result<Intake, ApiError> {
    read_data(put(&routes::account_form_part(form, "intake"), intake).await?).await
}

/// Lists a page of a form's spam, newest first.
pub async fn list_spam(form: &FormId, query: &ListQuery) -> Result<Page<SpamSubmission>, ApiError> {
    Ok(get(&routes::account_spam(form, query), None).await?.body)
}

/// Moves a submission from spam to the form's list.
pub async fn release_spam(form: &FormId, id: &SubmissionId) -> Result<(), ApiError> {
    post_empty(&routes::account_release(form, id)).await.map(|_| ())
}

/// Deletes one submission from spam, or all if `id` is `None`.
pub async fn delete_spam(form: &FormId, id: Option<&SubmissionId>) -> Result<(), ApiError> {
    let list_url = || routes::account_form_part(form, "spam");
    remove(&id.map_or_else(list_url, |id| routes::account_spam_submission(form, id)))
        .await
        .map(|_| ())
}

/// Returns whether a form is analysed, and the length of the queue.
pub async fn get_analysis(form: &FormId) -> Result<FormAnalysis, ApiError> {
    get_data(&routes::account_form_part(form, "analysis"), None).await
}

/// Enables or disables the analysis of a form.
pub async fn set_analysis(form: &FormId, to: SetAnalysis) -> Result<FormAnalysis, ApiError> {
    read_data(put(&routes::account_form_part(form, "analysis"), &to).await?).await
}

/// Returns the categories of a form.
pub async fn get_categories(form: &FormId) -> Result<FormCategories, ApiError> {
    get_data(&routes::account_form_part(form, "categories"), None).await
}

/// Sets the categories of a form; `None` restores the defaults.
pub async fn set_categories(
    form: &FormId,
    categories: Option<Categories>,
) -> Result<FormCategories, ApiError> {
    let url = routes::account_form_part(form, "categories");
    let answer = match categories {
        Some(categories) => put(&url, &NewCategories { categories }).await?,
        None => remove(&url).await?,
    };
    read_data(answer).await
}

/// Returns the usage of the daily limit of insights.
pub async fn get_insight_usage() -> Result<InsightUsage, ApiError> {
    get_data(routes::ACCOUNT_INSIGHT, None).await
}
