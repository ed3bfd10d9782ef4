//! `sheaf account`: accounts, members and sign-in links.

mod changes;

use contract::audit::Action;
use contract::insight::{InsightQuota, InsightUsage};
use contract::people::NewPerson;
use contract::{Account, Environment, PersonId, Plan};
use std::io::{self, BufRead as _, Read as _};
use store::clock::{Clock as _, SystemClock};
use store::daily_limits::{DailyLimits, UtcDay};
use store::{AccountRecord, Store, StoreError};

use crate::args;
use crate::commands::people;
use crate::config::Data;
use crate::email::canonical_email;
use crate::error::{Error, Result};
use crate::sign_in_link::create_sign_in_link;
use crate::{audit_events, identity, new_ids, output, stores};

/// Lifetime of a sign-in link, in seconds.
const LINK_S: i64 = 15 * 60;
/// Maximum length of a password line, in bytes. No valid password is longer.
const PASSWORD_BYTES_MAX: u64 = 1024;

/// Runs `sheaf account`.
///
/// # Errors
/// Arguments that are invalid, or a store that fails.
pub(crate) async fn run(data: &Data, args: args::Account) -> Result<()> {
    match args {
        args::Account::Create { email, plan, password_stdin } => {
            let email = canonical_email(&email)?;
            let password_hash = password_stdin.then(read_password_hash).transpose()?;
            let account = create_account(
                stores::open_store(data).await?.store().as_ref(),
                email,
                plan,
                password_hash,
            )
            .await?;
            output::print_line(account.id)
        }
        args::Account::List { shape } => {
            list_accounts(stores::open_existing(data).await?.as_ref(), shape.json).await
        }
        args::Account::Usage { owner, limits, shape } => {
            let store = stores::open_existing(data).await?;
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            show_usage(store.as_ref(), &account, &limits.limits(), shape.json).await
        }
        args::Account::SetPlan { account, plan } => {
            let store = stores::open_existing(data).await?;
            let account = stores::find_account(store.as_ref(), &account).await?;
            changes::set_plan(store.as_ref(), &account, plan).await
        }
        args::Account::SetEmail { account, email } => {
            let store = stores::open_existing(data).await?;
            let account = stores::find_account(store.as_ref(), &account).await?;
            changes::set_email(store.as_ref(), &account, &email).await
        }
        args::Account::Delete { account, yes } => {
            changes::delete_account(stores::open_existing(data).await?.as_ref(), &account, yes)
                .await
        }
        args::Account::SignInLink { account, url } => {
            let store = stores::open_existing(data).await?;
            let person = stores::find_member(store.as_ref(), &account).await?;
            output::print_line(sign_in_link(store.as_ref(), &person.id, &url).await?)
        }
        args::Account::AddMember { owner, email, role, forms, url } => {
            let store = stores::open_existing(data).await?;
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            let forms = (!forms.is_empty()).then_some(forms);
            let new = NewPerson { email, role, forms };
            people::add_member(store.as_ref(), &account.id, new, &url).await
        }
        args::Account::SetMember { email, change } => {
            people::change_member(stores::open_existing(data).await?.as_ref(), &email, change).await
        }
        args::Account::People { owner, shape } => {
            let store = stores::open_existing(data).await?;
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            people::print_members(store.as_ref(), &account, shape.json).await
        }
        args::Account::RemoveMember { email } => {
            people::remove_member(stores::open_existing(data).await?.as_ref(), &email).await
        }
        args::Account::LinkIdentity { account, known } => {
            let store = stores::open_existing(data).await?;
            identity::link_identity(store.as_ref(), &account, &known.issuer, &known.subject).await
        }
        args::Account::UnlinkIdentity { known } => {
            let store = stores::open_existing(data).await?;
            identity::unlink_identity(store.as_ref(), &known.issuer, &known.subject).await
        }
        args::Account::Identities { owner, shape } => {
            let store = stores::open_existing(data).await?;
            let account = stores::find_account(store.as_ref(), &owner.account).await?;
            identity::list_identities(store.as_ref(), &account.id, shape.json).await
        }
    }
}

/// Creates an account. The email address must be canonical.
///
/// # Errors
/// An address that another account has.
pub(crate) async fn create_account(
    store: &dyn Store,
    email: String,
    plan: Plan,
    password_hash: Option<String>,
) -> Result<Account> {
    let account = Account { id: new_ids::new_account_id(), email, plan };
    let created_at = SystemClock.now();
    let record = AccountRecord { account: account.clone(), password_hash, created_at };
    let event = audit_events::account_event(Action::AccountCreated, &account.id)
        .with_object("account", &account.id);
    let store = store.with_audit(event.with_value("plan", account.plan.as_str()));
    store.insert_account(record).await.map_err(|error| match error {
        StoreError::Exists(_) => Error::invalid(format!(
            "the email address `{}` is in use; see `sheaf account list`",
            account.email
        )),
        other => other.into(),
    })?;
    Ok(account)
}

/// Creates a link that signs a member in once, within 15 minutes. Only its hash is stored.
///
/// # Errors
/// The store fails.
pub(crate) async fn sign_in_link(
    store: &dyn Store,
    person: &PersonId,
    base: &str,
) -> Result<String> {
    create_sign_in_link(store, person, base, LINK_S).await
}

async fn list_accounts(store: &dyn Store, json: bool) -> Result<()> {
    let records = store.list_accounts().await?;
    if json {
        let accounts: Vec<_> = records.into_iter().map(|record| record.account).collect();
        return output::print_json(&accounts);
    }
    let row = |record: AccountRecord| {
        let Account { id, email, plan } = record.account;
        let opened_by = if record.password_hash.is_some() { "password" } else { "link" };
        [
            id.to_string(),
            email,
            plan.to_string(),
            opened_by.to_owned(),
            record.created_at.to_string(),
        ]
    };
    let rows: Vec<_> = records.into_iter().map(row).collect();
    output::print_table(["ID", "EMAIL", "PLAN", "SIGN-IN", "CREATED"], &rows)
}

async fn show_usage(
    store: &dyn Store,
    account: &Account,
    limits: &DailyLimits,
    json: bool,
) -> Result<()> {
    let limit = limits.for_plan(account.plan);
    let day = UtcDay::of(SystemClock.now());
    let live = store.find_usage(&account.id, Environment::Live, limit, day).await?;
    let test = store.find_usage(&account.id, Environment::Test, limit, day).await?;
    let usage = InsightUsage { live, test, resets_at: day.end() };
    if json {
        return output::print_json(&usage);
    }
    let row = |environment: Environment, quota: InsightQuota| {
        let counts = [quota.limit, quota.used, quota.pending].map(|count| count.to_string());
        let [limit, used, pending] = counts;
        [environment.to_string(), limit, used, pending, usage.resets_at.to_string()]
    };
    let rows = [row(Environment::Live, live), row(Environment::Test, test)];
    output::print_table(["ANALYSIS", "PER DAY", "TODAY", "PENDING", "RESETS"], &rows)
}

/// Reads a password from the first line of standard input and returns its hash.
fn read_password_hash() -> Result<String> {
    let mut line = String::new();
    let mut input = io::stdin().lock().take(PASSWORD_BYTES_MAX);
    input.read_line(&mut line).map_err(Error::io("cannot read a password from standard input"))?;
    let password = line.strip_suffix('\n').unwrap_or(&line);
    let password = password.strip_suffix('\r').unwrap_or(password);
    gateway::password::check_strength(password).map_err(|weak| Error::invalid(weak.to_string()))?;
    gateway::password::hash_password(password).map_err(|error| Error::invalid(error.to_string()))
}
