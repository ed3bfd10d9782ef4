//! Sample data of `sheaf serve --sample`.

use contract::{Environment, FieldType, Plan};
use store::{FormRecord, Store};

use crate::commands::{account, form, sample};
use crate::error::Result;
use crate::field_spec::FieldSpec;

/// Email address of the sample account.
pub(crate) const SAMPLE_OWNER: &str = "owner@example.com";

/// A form to create, and its number of submissions.
struct SampleForm {
    name: &'static str,
    environment: Environment,
    fields: fn() -> Vec<FieldSpec>,
    count: u64,
}

const SAMPLE_FORMS: [SampleForm; 3] = [
    SampleForm {
        name: "Customer feedback",
        environment: Environment::Live,
        fields: sample::default_fields,
        count: 5000,
    },
    SampleForm {
        name: "Event registration",
        environment: Environment::Live,
        fields: registration_fields,
        count: 400,
    },
    SampleForm {
        name: "Customer feedback (draft)",
        environment: Environment::Test,
        fields: sample::default_fields,
        count: 60,
    },
];

/// Creates an account with forms and submissions, if the store has no accounts. Otherwise leaves
/// the store unchanged.
///
/// # Errors
/// The store fails.
pub(crate) async fn create_if_empty(store: &dyn Store) -> Result<()> {
    if !store.list_accounts().await?.is_empty() {
        return Ok(());
    }
    let owner =
        account::create_account(store, SAMPLE_OWNER.to_owned(), Plan::Enterprise, None).await?;
    let until = sample::current_hour();
    for (seed, sample) in (1..).zip(SAMPLE_FORMS) {
        let form = form::build_form(sample.name, sample.environment, (sample.fields)(), true)?;
        let record = FormRecord { account_id: owner.id.clone(), form: form.clone() };
        store.insert_form(record).await?;
        sample::fill_form(store, form, sample.count, seed, until).await?;
    }
    Ok(())
}

fn registration_fields() -> Vec<FieldSpec> {
    let fields = [
        ("Full name", FieldType::Text),
        ("Email", FieldType::Email),
        ("Organisation", FieldType::Text),
        ("City", FieldType::Text),
        ("Arrival", FieldType::Date),
        ("How many are you?", FieldType::Choice),
        ("Which sessions interest you?", FieldType::Choices),
        ("Will you stay for dinner?", FieldType::Boolean),
        ("Anything we should know?", FieldType::LongText),
    ];
    fields.map(|(name, kind)| FieldSpec { name: name.to_owned(), kind }).into()
}
