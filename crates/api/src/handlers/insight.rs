//! Owner's routes for analysis (additive): turn it on or off, set categories, get the daily usage,
//! and correct insights.
//!
//! These routes analyse nothing. The worker does that later.

use super::body;
use super::own_form::{OwnForm, find_own_form};
use crate::Service;
use crate::audit::RequestActor;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::Action;
use contract::insight::{
    FormAnalysis, FormCategories, InsightCorrection, InsightDetail, InsightUsage, NewCategories,
    SetAnalysis,
};
use contract::{AccountId, Data, Environment, FormAccess, SubmissionId};
use store::daily_limits::UtcDay;
use store::insight::default_categories;

/// Expected request bodies, for error messages.
const ANALYSIS_BODY: &str = r#"{"analysis": true or false, "again": true or false}"#;
const CATEGORIES_BODY: &str = r#"{"categories": [{"name": "…", "words": ["…"]}]}"#;
const CORRECTION_BODY: &str = r#"{"sentiment": "negative", "categories": ["…"], "language": "en"}"#;

/// `GET /account/forms/{form_id}/analysis`.
pub(crate) async fn get_analysis(own: OwnForm) -> Result<Json<Data<FormAnalysis>>> {
    let found = own.service.store().find_analysis(&own.form.id).await?;
    Ok(Json(Data { data: found.ok_or_else(|| Error::not_found("form"))? }))
}

/// `PUT /account/forms/{form_id}/analysis`: turns analysis on or off; `again` repeats it for all
/// submissions.
pub(crate) async fn set_analysis(
    own: OwnForm,
    request: Request,
) -> Result<Json<Data<FormAnalysis>>> {
    let switch: SetAnalysis = body::read_json(request, ANALYSIS_BODY).await?;
    if switch.again && !switch.analysis {
        let message = "`again` requires `analysis` to be `true`";
        return Err(Error::validation(message));
    }
    let event = own.event(Action::AnalysisSet);
    let event = event.with_value("on", switch.analysis).with_value("again", switch.again);
    own.service.with_audit(event).set_analysis(&own.form.id, switch).await?;
    get_analysis(own).await
}

/// `GET /account/forms/{form_id}/categories`.
pub(crate) async fn get_categories(own: OwnForm) -> Result<Json<Data<FormCategories>>> {
    let set = own.service.store().find_categories(&own.form.id).await?;
    let is_default = set.is_none();
    let categories = set.unwrap_or_else(|| default_categories().as_ref().clone());
    Ok(Json(Data { data: FormCategories { categories, is_default } }))
}

/// `PUT /account/forms/{form_id}/categories`: sets the categories for future analysis.
pub(crate) async fn set_categories(
    own: OwnForm,
    request: Request,
) -> Result<Json<Data<FormCategories>>> {
    let new: NewCategories = body::read_json(request, CATEGORIES_BODY).await?;
    let store = own.service.with_audit(own.event(Action::CategoriesSet));
    store.set_categories(&own.form.id, Some(new.categories)).await?;
    show_new_categories(own).await
}

/// `DELETE /account/forms/{form_id}/categories`: restores the default categories.
pub(crate) async fn reset_categories(own: OwnForm) -> Result<Json<Data<FormCategories>>> {
    let event = own.event(Action::CategoriesSet).with_value("reset", true);
    own.service.with_audit(event).set_categories(&own.form.id, None).await?;
    show_new_categories(own).await
}

/// Returns the categories after a change; 404 if the form was deleted meanwhile.
async fn show_new_categories(own: OwnForm) -> Result<Json<Data<FormCategories>>> {
    find_own_form(&own.service, &own.account, &own.form.id).await?;
    get_categories(own).await
}

/// `GET /account/insight`: returns the daily limit (specification, sections 2 and 8), its usage,
/// and the number of pending submissions.
pub(crate) async fn get_usage(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
) -> Result<Json<Data<InsightUsage>>> {
    let store = service.store();
    let record = store.find_account(&account).await?;
    let plan = record.ok_or_else(|| Error::not_found("account"))?.account.plan;
    let limit = service.insight_limits().for_plan(plan);
    let day = UtcDay::of(service.now());
    let data = InsightUsage {
        live: store.find_usage(&account, Environment::Live, limit, day).await?,
        test: store.find_usage(&account, Environment::Test, limit, day).await?,
        resets_at: day.end(),
    };
    Ok(Json(Data { data }))
}

/// `GET /account/submissions/{id}/insight`: returns an insight and the owner's correction.
pub(crate) async fn get_insight(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(access): Extension<FormAccess>,
    Id(id): Id<SubmissionId>,
) -> Result<Json<Data<InsightDetail>>> {
    find_own_environment(&service, &account, &access, &id).await?;
    let found = service.store().find_insight(&id).await?;
    Ok(Json(Data { data: found.ok_or_else(|| Error::not_found("submission"))? }))
}

/// `PUT /account/submissions/{id}/insight`: replaces parts of an insight by the owner's correction.
pub(crate) async fn correct_insight(
    state: State<Service>,
    account: Extension<AccountId>,
    access: Extension<FormAccess>,
    actor: RequestActor,
    Id(id): Id<SubmissionId>,
    request: Request,
) -> Result<Json<Data<InsightDetail>>> {
    let environment = find_own_environment(&state, &account, &access, &id).await?;
    let correction: InsightCorrection = body::read_json(request, CORRECTION_BODY).await?;
    let correction = correction.validate().map_err(Error::validation)?;
    let event = actor.account_event(&state, &account, Action::InsightCorrected);
    let event = event.with_environment(environment).with_object("submission", &id);
    state.with_audit(event).correct_insight(&id, Some(correction), state.now()).await?;
    get_insight(state, account, access, Id(id)).await
}

/// `DELETE /account/submissions/{id}/insight`: removes the owner's correction.
pub(crate) async fn reset_insight(
    state: State<Service>,
    account: Extension<AccountId>,
    access: Extension<FormAccess>,
    actor: RequestActor,
    Id(id): Id<SubmissionId>,
) -> Result<Json<Data<InsightDetail>>> {
    let environment = find_own_environment(&state, &account, &access, &id).await?;
    let event = actor.account_event(&state, &account, Action::InsightReset);
    let event = event.with_environment(environment).with_object("submission", &id);
    state.with_audit(event).correct_insight(&id, None, state.now()).await?;
    get_insight(state, account, access, Id(id)).await
}

/// Returns the environment of a submission's form.
///
/// # Errors
/// 404 if the submission is not in a form of the account that the member may read.
async fn find_own_environment(
    service: &Service,
    account: &AccountId,
    access: &FormAccess,
    id: &SubmissionId,
) -> Result<Environment> {
    let found = service.store().find_submission(id).await?;
    let own = found.filter(|submission| {
        submission.account_id == *account && access.covers(&submission.form_id)
    });
    Ok(own.ok_or_else(|| Error::not_found("submission"))?.environment)
}
