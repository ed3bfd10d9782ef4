//! Owner's routes for analysis (additive): turn it on or off, set categories, get the daily usage,
//! and correct insights.
//!
//! These routes analyse nothing. The worker does that later.

use super::body;
use crate::Service;
use crate::audit::Asking;
use crate::error::{Error, Result};
use crate::router::Id;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use contract::audit::Action;
use contract::insight::{
    Correction, FormAnalysis, FormCategories, InsightDetail, InsightUsage, NewCategories,
    SetAnalysis,
};
use contract::{AccountId, Data, Environment, Form, FormId, SubmissionId};
use store::insight::Day;
use store::insight::default_categories;

/// Expected request bodies, for error messages.
const ANALYSIS: &str = r#"{"analysis": true or false, "again": true or false}"#;
const CATEGORIES: &str = r#"{"categories": [{"name": "…", "words": ["…"]}]}"#;
const CORRECTION: &str = r#"{"sentiment": "negative", "categories": ["…"], "language": "en"}"#;

/// `GET /account/forms/{form_id}/analysis`.
pub(crate) async fn find_analysis(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(form): Id<FormId>,
) -> Result<Json<Data<FormAnalysis>>> {
    own_form(&service, &account, &form).await?;
    let found = service.store().find_analysis(&form).await?;
    Ok(Json(Data { data: found.ok_or_else(|| Error::not_found("form"))? }))
}

/// `PUT /account/forms/{form_id}/analysis`: turns analysis on or off; `again` repeats it for all
/// submissions.
pub(crate) async fn set_analysis(
    state: State<Service>,
    account: Extension<AccountId>,
    asking: Asking,
    Id(form): Id<FormId>,
    request: Request,
) -> Result<Json<Data<FormAnalysis>>> {
    let own = own_form(&state, &account, &form).await?;
    let switch: SetAnalysis = body::read(request, ANALYSIS).await?;
    if switch.again && !switch.analysis {
        let message = "`again` requires `analysis` to be `true`";
        return Err(Error::validation(message));
    }
    let act = asking.does(&state, &account, Action::AnalysisSet).on("form", &form);
    let act = act.within(own.environment).named("name", &own.name);
    let act = act.with("on", switch.analysis).with("again", switch.again);
    state.noting(act).set_analysis(&form, switch).await?;
    find_analysis(state, account, Id(form)).await
}

/// `GET /account/forms/{form_id}/categories`.
pub(crate) async fn find_categories(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(form): Id<FormId>,
) -> Result<Json<Data<FormCategories>>> {
    own_form(&service, &account, &form).await?;
    let set = service.store().find_categories(&form).await?;
    let is_default = set.is_none();
    let categories = set.unwrap_or_else(|| default_categories().as_ref().clone());
    Ok(Json(Data { data: FormCategories { categories, is_default } }))
}

/// `PUT /account/forms/{form_id}/categories`: sets the categories for future analysis.
pub(crate) async fn set_categories(
    state: State<Service>,
    account: Extension<AccountId>,
    asking: Asking,
    Id(form): Id<FormId>,
    request: Request,
) -> Result<Json<Data<FormCategories>>> {
    let own = own_form(&state, &account, &form).await?;
    let new: NewCategories = body::read(request, CATEGORIES).await?;
    let act = asking.does(&state, &account, Action::CategoriesSet).on("form", &form);
    let act = act.within(own.environment).named("name", &own.name);
    state.noting(act).set_categories(&form, Some(new.categories)).await?;
    find_categories(state, account, Id(form)).await
}

/// `DELETE /account/forms/{form_id}/categories`: restores the default categories.
pub(crate) async fn reset_categories(
    state: State<Service>,
    account: Extension<AccountId>,
    asking: Asking,
    Id(form): Id<FormId>,
) -> Result<Json<Data<FormCategories>>> {
    let own = own_form(&state, &account, &form).await?;
    let act = asking.does(&state, &account, Action::CategoriesSet).on("form", &form);
    let act = act.within(own.environment).named("name", &own.name);
    state.noting(act.with("reset", true)).set_categories(&form, None).await?;
    find_categories(state, account, Id(form)).await
}

/// `GET /account/insight`: returns the daily limit (specification, sections 2 and 8), its usage,
/// and the number of pending submissions.
pub(crate) async fn usage(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
) -> Result<Json<Data<InsightUsage>>> {
    let store = service.store();
    let record = store.find_account(&account).await?;
    let plan = record.ok_or_else(|| Error::not_found("account"))?.account.plan;
    let (limit, day) = (service.insight_limits().of(plan), Day::of(service.now()));
    let data = InsightUsage {
        live: store.find_spent(&account, Environment::Live, limit, day).await?,
        test: store.find_spent(&account, Environment::Test, limit, day).await?,
        resets_at: day.end(),
    };
    Ok(Json(Data { data }))
}

/// `GET /account/submissions/{id}/insight`: returns an insight and the owner's correction.
pub(crate) async fn find(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Id(id): Id<SubmissionId>,
) -> Result<Json<Data<InsightDetail>>> {
    own_submission(&service, &account, &id).await?;
    let found = service.store().find_insight(&id).await?;
    Ok(Json(Data { data: found.ok_or_else(|| Error::not_found("submission"))? }))
}

/// `PUT /account/submissions/{id}/insight`: replaces parts of an insight by the owner's correction.
pub(crate) async fn correct(
    state: State<Service>,
    account: Extension<AccountId>,
    asking: Asking,
    Id(id): Id<SubmissionId>,
    request: Request,
) -> Result<Json<Data<InsightDetail>>> {
    own_submission(&state, &account, &id).await?;
    let correction: Correction = body::read(request, CORRECTION).await?;
    let correction = correction.checked().map_err(Error::validation)?;
    let act = asking.does(&state, &account, Action::InsightCorrected).on("submission", &id);
    state.noting(act).correct_insight(&id, Some(correction), state.now()).await?;
    find(state, account, Id(id)).await
}

/// `DELETE /account/submissions/{id}/insight`: removes the owner's correction.
pub(crate) async fn take_back(
    state: State<Service>,
    account: Extension<AccountId>,
    asking: Asking,
    Id(id): Id<SubmissionId>,
) -> Result<Json<Data<InsightDetail>>> {
    own_submission(&state, &account, &id).await?;
    let act = asking.does(&state, &account, Action::InsightReset).on("submission", &id);
    state.noting(act).correct_insight(&id, None, state.now()).await?;
    find(state, account, Id(id)).await
}

async fn own_form(service: &Service, account: &AccountId, form: &FormId) -> Result<Form> {
    let found = service.store().find_form(form).await?;
    let own = found.filter(|record| record.account_id == *account);
    Ok(own.ok_or_else(|| Error::not_found("form"))?.form)
}

async fn own_submission(service: &Service, account: &AccountId, id: &SubmissionId) -> Result<()> {
    let found = service.store().find_submission(id).await?;
    let is_own = found.is_some_and(|owned| owned.account_id == *account);
    is_own.then_some(()).ok_or_else(|| Error::not_found("submission"))
}
