//! Picker of a criterion for the answers to a field: an operator and a value.

use contract::filter::{
    FIELD_CRITERIA_MAX, FIELD_VALUE_CHARS_MAX, FieldCriterion, FieldOperator, compares_text,
    operators_of,
};
use contract::{Field, FieldId, FieldType, Filter};
use leptos::{ev, prelude::*};

use crate::{
    components::{
        filter_bar::{
            panel::FilterPanelContext,
            parts::{operator_name, value_text},
        },
        occurring_values::OccurringValues,
    },
    domain::filter::{FilterProperty, is_supported, set_criterion},
    i18n::{self, normalise_decimal, write_decimal},
    ui::{
        button::{Button, ButtonVariant},
        field::{Choice, FieldKind, PickField, SelectField, TextField},
        popover::close_containing_popover,
    },
};

/// Control for the value of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueControl {
    None,
    /// Yes or no.
    Flag,
    /// Text with the values that occur.
    Pick,
    Input(FieldKind),
}

impl ValueControl {
    fn of(kind: FieldType, operator: FieldOperator) -> Self {
        match kind {
            _ if !operator.has_value() => Self::None,
            _ if operator == FieldOperator::Contains => Self::Input(FieldKind::Text),
            FieldType::Boolean => Self::Flag,
            FieldType::LongText => Self::Input(FieldKind::Text),
            // A bound is rarely one of the answers.
            FieldType::Number if matches!(operator, FieldOperator::Gte | FieldOperator::Lte) => {
                Self::Input(FieldKind::Decimal)
            }
            FieldType::Date => Self::Input(FieldKind::Date),
            FieldType::Choice
            | FieldType::Choices
            | FieldType::Number
            | FieldType::Rating
            | FieldType::Text
            | FieldType::Email
            | FieldType::Phone
            | FieldType::Url => Self::Pick,
        }
    }
}

/// A criterion that is being edited. Cheap to copy.
#[derive(Clone, Copy)]
struct CriterionDraft {
    filter: Signal<Filter>,
    on_change: Callback<Filter>,
    field: StoredValue<Field>,
    /// The criterion of the filter that the draft replaces.
    applied: RwSignal<Option<FieldCriterion>>,
    operator: RwSignal<FieldOperator>,
    value: RwSignal<String>,
    error: RwSignal<Option<String>>,
}

impl CriterionDraft {
    fn new(context: FilterPanelContext, field: Field, applied: Option<FieldCriterion>) -> Self {
        let FilterPanelContext { filter, on_change, .. } = context;
        let (operator, value) = match &applied {
            Some(applied) => (applied.operator(), shown_value(&field, applied)),
            None if compares_text(field.kind) => (FieldOperator::Contains, String::new()),
            None if field.kind == FieldType::Boolean => (FieldOperator::Eq, "true".to_owned()),
            None => (FieldOperator::Eq, String::new()),
        };
        Self {
            filter,
            on_change,
            field: StoredValue::new(field),
            applied: RwSignal::new(applied),
            operator: RwSignal::new(operator),
            value: RwSignal::new(value),
            error: RwSignal::new(None),
        }
    }

    fn set_value(self, value: String) {
        self.error.set(None);
        self.value.set(value);
    }

    fn set_operator(self, operator: FieldOperator) {
        self.error.set(None);
        let control = |operator| self.field.with_value(|it| ValueControl::of(it.kind, operator));
        let (before, now) = (control(self.operator.get_untracked()), control(operator));
        if now == ValueControl::Flag && before != now {
            self.value.set("true".to_owned());
        }
        self.operator.set(operator);
    }

    /// Returns the criterion, or an error text.
    fn criterion(self) -> Result<FieldCriterion, String> {
        let operator = self.operator.get_untracked();
        self.field.with_value(|field| {
            let typed = self.value.get_untracked();
            let value = match field.kind {
                FieldType::Number | FieldType::Rating => normalise_decimal(&typed),
                // These answers are compared exactly.
                FieldType::Choice | FieldType::Choices => typed,
                _ => typed.trim().to_owned(),
            };
            FieldCriterion::new(field.id.clone(), operator, &value)
                .ok()
                .filter(|criterion| is_supported(criterion, field))
                .ok_or_else(|| value_error(field.kind, operator).to_owned())
        })
    }

    /// Sets the criterion in place of the applied one, or in addition to it. Returns whether the
    /// draft is valid.
    fn apply(self, in_place: bool) -> bool {
        let criterion = match self.criterion() {
            Ok(criterion) => criterion,
            Err(problem) => {
                self.error.set(Some(problem));
                return false;
            }
        };
        let before = self.filter.get_untracked();
        let replaced = self.applied.get_untracked().filter(|_| in_place);
        let Some(filter) = set_criterion(&before, replaced.as_ref(), criterion.clone()) else {
            self.error.set(Some((i18n::filter_panel().too_many)(FIELD_CRITERIA_MAX)));
            return false;
        };
        self.applied.set(Some(criterion));
        if filter != before {
            self.on_change.run(filter);
        }
        true
    }
}

/// Returns the value as the control shows it.
fn shown_value(field: &Field, criterion: &FieldCriterion) -> String {
    match field.kind {
        FieldType::Number | FieldType::Rating => write_decimal(criterion.value()),
        _ => criterion.value().to_owned(),
    }
}

fn value_error(kind: FieldType, operator: FieldOperator) -> &'static str {
    let texts = i18n::filter_panel();
    match kind {
        _ if operator == FieldOperator::Contains => texts.no_text,
        FieldType::Number | FieldType::Rating => texts.not_a_number,
        FieldType::Date => texts.no_date,
        _ => texts.no_text,
    }
}

/// Returns the fields of the picker. They edit `criterion`, or else the first criterion of the
/// field, or else a new one.
pub(crate) fn picker(
    context: FilterPanelContext,
    values: OccurringValues,
    id: &FieldId,
    criterion: Option<FieldCriterion>,
) -> AnyView {
    let texts = i18n::filter_panel();
    let field =
        context.fields.with_untracked(|fields| fields.iter().find(|it| it.id == *id).cloned());
    let Some(field) = field else {
        return view! { <p class="field-hint">{texts.unknown_field}</p> }.into_any();
    };
    let first = || {
        let is_of_field = |it: &&FieldCriterion| it.field() == id;
        context.filter.with_untracked(|filter| filter.fields.iter().find(is_of_field).cloned())
    };
    let kind = field.kind;
    let draft = CriterionDraft::new(context, field, criterion.or_else(first));
    let choices: Vec<Choice> =
        operators_of(kind).map(|it| Choice::new(it.as_str(), operator_name(it))).collect();
    let choose = move |name: String| {
        let operator = FieldOperator::ALL.into_iter().find(|it| it.as_str() == name);
        draft.set_operator(operator.unwrap_or(FieldOperator::Eq));
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if draft.apply(true) {
            close_containing_popover(&event);
        }
    };
    let control = Memo::new(move |_| ValueControl::of(kind, draft.operator.get()));
    let property = FilterProperty::field(id.clone());
    let value = move || value_control(control.get(), draft, values, &property);
    let add = move || {
        draft.applied.get().map(|_| {
            view! {
                <Button on_click=move |_| {
                    draft.apply(false);
                }>{texts.add}</Button>
            }
        })
    };
    view! {
        <form class="form" novalidate=true on:submit=submit>
            <SelectField
                label=texts.condition
                value=Signal::derive(move || draft.operator.get().as_str().to_owned())
                choices
                on_change=choose
            />
            {value}
            <div class="filter-actions">
                <Button variant=ButtonVariant::Primary submit=true>
                    {i18n::utm().apply}
                </Button>
                {add}
            </div>
        </form>
    }
    .into_any()
}

fn value_control(
    control: ValueControl,
    draft: CriterionDraft,
    values: OccurringValues,
    property: &FilterProperty,
) -> AnyView {
    let label = i18n::filter_panel().value;
    let CriterionDraft { value, error, .. } = draft;
    let on_input = move |text: String| draft.set_value(text);
    let length_max = u32::try_from(FIELD_VALUE_CHARS_MAX).unwrap_or(u32::MAX);
    match control {
        ValueControl::None => ().into_any(),
        ValueControl::Flag => {
            let choice = |value: &str| Choice::new(value, value_text(value));
            let choices = vec![choice("true"), choice("false")];
            view! { <SelectField label value choices on_change=on_input error /> }.into_any()
        }
        ValueControl::Pick => {
            values.load(Some(property));
            let retried = property.clone();
            let is_number = draft
                .field
                .with_value(|field| matches!(field.kind, FieldType::Number | FieldType::Rating));
            view! {
                <PickField
                    label
                    value
                    on_input
                    on_choose=move |()| {
                        draft.apply(true);
                    }
                    length_max
                    decimal=is_number
                    picks=values.suggestions(property.clone())
                    listing=RwSignal::new(String::new())
                    on_retry=move |()| values.retry(&retried)
                    placeholder=""
                    starts_open=true
                    error
                />
            }
            .into_any()
        }
        ValueControl::Input(kind) => view! {
            <TextField label value on_input kind error length_max autocomplete="off" />
        }
        .into_any(),
    }
}
