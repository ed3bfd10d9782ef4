//! The fields of the dialog that restrict a new key: access, forms and end.

use contract::{Form, FormAccess, KeyAccess, NewKey, Timestamp};
use leptos::prelude::*;

use crate::{
    components::{
        calendar::{start_of_day, today},
        form_access::{FormAccessFields, FormAccessState},
    },
    domain::time::{parse_day, write_day},
    i18n,
    state::session::SessionStore,
    ui::{
        field::{Choice, FieldKind, RadioField, SelectField, TextField, store_input},
        time::now_ms,
    },
};

/// Value of the end for a key that does not expire.
const NEVER: &str = "never";
/// Value of the end that the user enters as a day.
const ON_DAY: &str = "day";
/// Numbers of days until the end, as values of the choices.
const DAYS: [u16; 3] = [30, 90, 365];

/// State of the fields. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Restrictions {
    /// Name of the [`KeyAccess`].
    access: RwSignal<String>,
    forms: FormAccessState,
    /// [`NEVER`], [`ON_DAY`], or a number of [`DAYS`].
    end: RwSignal<String>,
    /// Text of the field for the day.
    day: RwSignal<String>,
    day_error: RwSignal<Option<String>>,
}

impl Restrictions {
    /// Returns fields without a restriction, owned by the current reactive owner.
    pub fn none() -> Self {
        Self {
            access: RwSignal::new(KeyAccess::Full.as_str().to_owned()),
            forms: FormAccessState::all(),
            end: RwSignal::new(NEVER.to_owned()),
            day: RwSignal::new(String::new()),
            day_error: RwSignal::new(None),
        }
    }

    /// Removes all restrictions and errors.
    pub fn clear(self) {
        self.access.set(KeyAccess::Full.as_str().to_owned());
        self.forms.set(None);
        self.end.set(NEVER.to_owned());
        self.day.set(String::new());
        self.day_error.set(None);
    }

    /// Adds the restrictions to a key. Returns `None` and shows the errors if a field is invalid.
    pub fn apply_to(self, key: NewKey, forms: &[Form]) -> Option<NewKey> {
        let texts = i18n::keys();
        let forms = self.forms.read(forms, Some(key.environment));
        let end = self.end_of_key();
        self.day_error.set(end.is_err().then(|| texts.needs_day.to_owned()));
        let (FormAccess(forms), expires_at) = (forms?, end.ok()?);
        // The field only offers valid names.
        let access = self.access.get_untracked().parse().unwrap_or_default();
        Some(NewKey { access, forms, expires_at, ..key })
    }

    /// Returns the end of the key; an error for a day that is invalid or has begun.
    fn end_of_key(self) -> Result<Option<Timestamp>, ()> {
        const DAY_MS: i64 = 86_400_000;
        let now = i64::try_from(now_ms()).map_err(|_| ())?;
        let end = self.end.get_untracked();
        if end == NEVER {
            return Ok(None);
        }
        let at = match end.parse::<u16>() {
            Ok(days) => Timestamp::from_millis(now + i64::from(days) * DAY_MS),
            Err(_) => parse_day(&self.day.get_untracked())
                .and_then(start_of_day)
                .filter(|at| at.millis() > now),
        };
        at.map(Some).ok_or(())
    }
}

/// The fields.
#[component]
pub fn RestrictionFields(
    /// State of the fields.
    restrictions: Restrictions,
    /// Environment of the key, by its name in paths.
    environment: RwSignal<String>,
    /// Session with the forms of the account.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::keys();
    let Restrictions { access, forms, .. } = restrictions;
    let accesses = vec![
        Choice::new(KeyAccess::Full.as_str(), texts.full_access).hint(texts.full_access_hint),
        Choice::new(KeyAccess::Read.as_str(), texts.read_only).hint(texts.read_only_hint),
    ];
    let environment = Signal::derive(move || environment.get().parse().ok());
    view! {
        <RadioField
            label=texts.access
            value=access
            choices=accesses
            on_change=move |chosen| access.set(chosen)
        />
        <FormAccessFields access=forms environment session />
        <EndFields restrictions />
    }
}

/// The choice of the end, with a field for a day.
#[component]
fn EndFields(restrictions: Restrictions) -> impl IntoView {
    let texts = i18n::keys();
    let Restrictions { end, day, day_error, .. } = restrictions;
    let mut choices = vec![Choice::new(NEVER, texts.never)];
    choices.extend(DAYS.map(|days| {
        let label = if days == 365 { texts.in_a_year.to_owned() } else { (texts.in_days)(days) };
        Choice::new(days.to_string(), label)
    }));
    choices.push(Choice::new(ON_DAY, texts.on_day));
    let choose = move |chosen| {
        day_error.set(None);
        end.set(chosen);
    };
    let tomorrow = today().and_then(|day| day.succ_opt()).map(write_day);
    view! {
        <SelectField label=texts.expiry value=end choices on_change=choose />
        <Show when=move || end.with(|end| end == ON_DAY)>
            <TextField
                label=texts.end_day
                hint=texts.end_day_hint
                kind=FieldKind::Date
                min=tomorrow.clone()
                value=day
                error=day_error
                on_input=store_input(day, day_error)
            />
        </Show>
    }
}
