//! The values of a property that occur under a filter, with their counts. A property uses the
//! filter without its own part. If the server has no summaries, the loaded rows provide the UTM
//! values; without any values the fields remain plain text fields.

use std::cmp::Reverse;
use std::sync::Arc;

use contract::filter::{FieldCriterion, FieldOperator, LabelProperty, are_answers_equal};
use contract::summary::{CountedFields, Summary, SummaryQuery, ValueCount, Values};
use contract::{Environment, Field, FieldId, FieldType, Filter, FormId, InboxSummaryQuery};
use leptos::{prelude::*, task::spawn_local};
use web_sys::AbortSignal;

use crate::{
    api::{self, AbortOnDrop, Remote},
    domain::filter::{FilterPart, FilterProperty, is_supported},
    i18n::{self, number, write_decimal},
    state::session::SessionStore,
    ui::field::{Suggestion, Suggestions},
};

/// UTM parts, in the order of [`LoadedUtmValues`].
const UTM_PARTS: [FilterPart; 3] =
    [FilterPart::UtmSource, FilterPart::UtmMedium, FilterPart::UtmCampaign];

/// Returns source, medium and campaign of each loaded row.
pub type LoadedUtmValues = Callback<(), Vec<[Option<String>; 3]>>;

/// Submissions whose values are suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValuesSource {
    /// The submissions of a form.
    Form(FormId),
    /// The submissions of all forms of an environment.
    Inbox(Environment),
}

/// A request for values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ValuesRequest {
    source: ValuesSource,
    filter: Filter,
    /// The field, if a plain summary does not count its answers.
    field: Option<FieldId>,
}

/// Values, loaded on request. Cheap to copy.
#[derive(Clone, Copy)]
pub struct OccurringValues {
    filter: Signal<Filter>,
    source: Signal<Option<ValuesSource>>,
    /// Fields of the form.
    fields: Memo<Vec<Field>>,
    loaded_rows: Option<LoadedUtmValues>,
    session: Option<SessionStore>,
    requested: StoredValue<Option<ValuesRequest>>,
    /// Cancels the last request.
    abort: StoredValue<AbortOnDrop, LocalStorage>,
    summary: RwSignal<Remote<Arc<Summary>>>,
}

impl OccurringValues {
    /// Returns values that are not loaded yet.
    pub fn new(
        filter: Signal<Filter>,
        source: Signal<Option<ValuesSource>>,
        fields: Memo<Vec<Field>>,
        loaded_rows: Option<LoadedUtmValues>,
    ) -> Self {
        Self {
            filter,
            source,
            fields,
            loaded_rows,
            session: use_context(),
            requested: StoredValue::new(None),
            abort: StoredValue::new_local(AbortOnDrop::default()),
            summary: RwSignal::new(Remote::Loading),
        }
    }

    /// Returns whether the server filters by labels and numbers. Tracked.
    pub fn has_properties(self) -> bool {
        self.session.is_some_and(|session| session.capabilities().filters_properties)
    }

    /// Returns whether the server filters by triage. Tracked.
    pub fn has_triage(self) -> bool {
        self.session.is_some_and(|session| session.capabilities().triage)
    }

    fn has_summaries(self) -> bool {
        self.session.is_some_and(|session| untrack(|| session.capabilities().summaries))
    }

    /// Loads the values of a property, or of all that are not set, unless they are loaded.
    pub fn load(self, property: Option<&FilterProperty>) {
        if !self.has_summaries() {
            return;
        }
        let Some(source) = self.source.get_untracked() else { return };
        let mut filter = self.filter.get_untracked();
        if let Some(property) = property {
            property.clear(&mut filter);
        }
        let field = match property {
            Some(FilterProperty::Field { id, .. }) => Some(id.clone()),
            _ => None,
        };
        let is_uncounted = |id: &FieldId| {
            self.fields.with_untracked(|fields| !CountedFields::for_fields(fields).contains(id))
        };
        let request = ValuesRequest { source, filter, field: field.filter(is_uncounted) };
        if self.requested.with_value(|requested| requested.as_ref() == Some(&request)) {
            return;
        }
        self.discard();
        self.requested.set_value(Some(request.clone()));
        self.summary.set(Remote::Loading);
        let signal = self.abort.with_value(AbortOnDrop::signal);
        spawn_local(self.fetch(request, signal));
    }

    /// Loads the values of a property again, after an error.
    pub fn retry(self, property: &FilterProperty) {
        self.discard();
        self.load(Some(property));
    }

    /// Discards the values and cancels their request, so that the next [`OccurringValues::load`]
    /// requests them.
    pub fn discard(self) {
        self.requested.set_value(None);
        self.abort.set_value(AbortOnDrop::default());
    }

    async fn fetch(self, request: ValuesRequest, signal: Option<AbortSignal>) {
        let ValuesRequest { source, filter, field } = request;
        let answer = match &source {
            ValuesSource::Form(form) => {
                let query = SummaryQuery { filter, field, ..SummaryQuery::default() };
                api::get_summary(form, &query, signal.as_ref()).await
            }
            ValuesSource::Inbox(environment) => {
                let environment = *environment;
                let query = InboxSummaryQuery { environment, filter };
                api::get_inbox_summary(&query, signal.as_ref()).await
            }
        };
        let is_cancelled = signal.is_some_and(|signal| signal.aborted());
        if !is_cancelled {
            self.summary.try_set(answer.map(Arc::new).into());
        }
    }

    /// Returns the values of a property.
    pub fn values(self, property: FilterProperty) -> Signal<Remote<Values>> {
        Signal::derive(move || {
            self.summary.with(|summary| {
                summary
                    .map(|summary| property_values(summary, &property).cloned().unwrap_or_default())
            })
        })
    }

    /// Returns the values of a UTM part or of a field as suggestions.
    pub fn suggestions(self, property: FilterProperty) -> Signal<Suggestions> {
        if !self.has_summaries() {
            return Signal::stored(self.count_loaded(&property));
        }
        let values = self.values(property.clone());
        let field = move || match &property {
            FilterProperty::Part(_) => None,
            FilterProperty::Field { id, .. } => {
                self.fields.with(|fields| fields.iter().find(|field| field.id == *id).cloned())
            }
        };
        let suggestions = Memo::new(move |_| match values.get() {
            Remote::Loading => Suggestions::Loading,
            Remote::Loaded(values) => to_suggestions(values, field().as_ref()),
            Remote::Failed(error) => Suggestions::Failed((i18n::utm().failed)(&error.message())),
        });
        suggestions.into()
    }

    /// Collects the suggestions of a UTM part from the loaded rows.
    fn count_loaded(self, property: &FilterProperty) -> Suggestions {
        let index = UTM_PARTS.iter().position(|utm| FilterProperty::Part(*utm) == *property);
        let (Some(index), Some(loaded)) = (index, self.loaded_rows) else {
            return Suggestions::None;
        };
        let rows = loaded.run(());
        match count_values(rows.iter().filter_map(|row| row[index].as_deref())) {
            picks if picks.is_empty() => Suggestions::None,
            picks => Suggestions::Loaded(picks, (i18n::utm().among_loaded)(rows.len() as u64)),
        }
    }
}

/// Returns the values of a property in a summary; `None` if it has no values to choose from.
fn property_values<'a>(summary: &'a Summary, property: &FilterProperty) -> Option<&'a Values> {
    match property {
        FilterProperty::Part(part) => part_values(summary, *part),
        FilterProperty::Field { id, .. } => {
            summary.fields.iter().find(|field| field.id == *id).map(|field| &field.answers)
        }
    }
}

fn part_values(summary: &Summary, part: FilterPart) -> Option<&Values> {
    Some(match part {
        FilterPart::Label(LabelProperty::Sentiment) => &summary.sentiments,
        FilterPart::Label(LabelProperty::Category) => &summary.categories,
        FilterPart::Label(LabelProperty::Language) => &summary.languages,
        FilterPart::Label(LabelProperty::Country) => &summary.countries,
        FilterPart::Label(LabelProperty::Device) => &summary.devices,
        FilterPart::Label(LabelProperty::Browser) => &summary.browsers,
        FilterPart::Label(LabelProperty::Status) => &summary.statuses,
        FilterPart::Label(LabelProperty::Starred) => &summary.starred,
        FilterPart::Label(LabelProperty::Tag) => &summary.tags,
        FilterPart::Label(LabelProperty::Assignee) => &summary.assignees,
        FilterPart::UtmSource => &summary.utm_sources,
        FilterPart::UtmMedium => &summary.utm_mediums,
        FilterPart::UtmCampaign => &summary.utm_campaigns,
        FilterPart::From
        | FilterPart::To
        | FilterPart::Search
        | FilterPart::Read
        | FilterPart::Seconds
        | FilterPart::Score => return None,
    })
}

/// Returns the distinct values with their number of occurrences, most frequent first.
fn count_values<'a>(values: impl Iterator<Item = &'a str>) -> Vec<Suggestion> {
    let mut values: Vec<&str> = values.collect();
    values.sort_unstable();
    let mut runs: Vec<&[&str]> = values.chunk_by(|left, right| left == right).collect();
    runs.sort_by_key(|run| Reverse(run.len()));
    let pick =
        |run: &&[&str]| Suggestion { value: run[0].to_owned(), note: number(run.len() as u64) };
    runs.iter().map(pick).collect()
}

fn to_suggestions(values: Values, field: Option<&Field>) -> Suggestions {
    let values = match field {
        Some(field) => answers_for_filter(values, field),
        None => values,
    };
    let other_count = match values.others {
        0 => String::new(),
        other_count => (i18n::utm().others)(other_count),
    };
    let pick = |ValueCount { value, count }| Suggestion { value, note: number(count) };
    Suggestions::Loaded(values.values.into_iter().map(pick).collect(), other_count)
}

/// Returns the answers that can be chosen. Answers that a filter compares as equal are one value,
/// in their most frequent spelling. Answers that no criterion or input can contain count as others.
fn answers_for_filter(values: Values, field: &Field) -> Values {
    let Values { values, mut others, missing } = values;
    let mut merged: Vec<ValueCount> = Vec::with_capacity(values.len());
    for ValueCount { value, count } in values {
        let is_possible = !value.contains(['\n', '\r'])
            && FieldCriterion::new(field.id.clone(), FieldOperator::Eq, &value)
                .is_ok_and(|criterion| is_supported(&criterion, field));
        let is_equal =
            |known: &&mut ValueCount| are_answers_equal(field.kind, &known.value, &value);
        if !is_possible {
            others += count;
        } else if let Some(known) = merged.iter_mut().find(is_equal) {
            known.count += count;
        } else {
            merged.push(ValueCount { value, count });
        }
    }
    merged.sort_by_key(|value| Reverse(value.count));
    if matches!(field.kind, FieldType::Number | FieldType::Rating) {
        for ValueCount { value, .. } in &mut merged {
            *value = write_decimal(value);
        }
    }
    Values { values: merged, others, missing }
}
