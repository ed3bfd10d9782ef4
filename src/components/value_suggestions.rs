//! Suggests the UTM values that occur under a filter. Each field uses the filter without its own
//! part. If the server has no summaries, the loaded rows provide the values; without any values the
//! fields remain plain text fields.

use std::cmp::Reverse;

use contract::summary::{SummaryQuery, Values};
use contract::{Filter, FormId};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    domain::filter::FilterPart,
    i18n::{self, number},
    state::session::SessionStore,
    ui::field::{Suggestion, Suggestions},
};

/// Filter parts with suggestions.
pub const UTM_PARTS: [FilterPart; 3] =
    [FilterPart::UtmSource, FilterPart::UtmMedium, FilterPart::UtmCampaign];

/// Returns source, medium and campaign of each loaded row.
pub type LoadedUtmValues = Callback<(), Vec<[Option<String>; 3]>>;

/// Suggestions, loaded on request.
#[derive(Clone, Copy)]
pub struct ValueSuggestions {
    filter: Signal<Filter>,
    form: Signal<Option<FormId>>,
    loaded_rows: Option<LoadedUtmValues>,
    session: Option<SessionStore>,
    /// Form and filter of the last request, and the values of source, medium and campaign.
    requested: StoredValue<Option<(FormId, Filter)>>,
    suggestions: RwSignal<[Suggestions; 3]>,
}

impl ValueSuggestions {
    /// Returns suggestions that are not loaded yet.
    pub fn new(
        filter: Signal<Filter>,
        form: Signal<Option<FormId>>,
        loaded_rows: Option<LoadedUtmValues>,
    ) -> Self {
        Self {
            filter,
            form,
            loaded_rows,
            session: use_context(),
            requested: StoredValue::new(None),
            suggestions: RwSignal::default(),
        }
    }

    /// Returns the suggestions for a part; `Suggestions::None` if it is not a UTM part.
    pub fn for_part(self, part: FilterPart) -> Signal<Suggestions> {
        match UTM_PARTS.iter().position(|one| *one == part) {
            Some(index) => {
                Signal::derive(move || self.suggestions.with(|known| known[index].clone()))
            }
            None => Signal::stored(Suggestions::None),
        }
    }

    /// Loads the values of each part under the rest of the filter, unless they are loaded already.
    pub fn load_values(self) {
        let sums = |session: SessionStore| untrack(|| session.capabilities().summaries);
        if !self.session.is_some_and(sums) {
            self.use_loaded_rows();
            return;
        }
        let Some(form) = self.form.get_untracked() else { return };
        let filter = self.filter.get_untracked();
        let wanted = (form, filter.clone());
        if self.requested.with_value(|asked| asked.as_ref() == Some(&wanted)) {
            return;
        }
        self.requested.set_value(Some(wanted.clone()));
        // Present values stay visible until others are loaded.
        self.suggestions.update(|known| {
            for picks in known.iter_mut().filter(|picks| !matches!(picks, Suggestions::Loaded(..)))
            {
                *picks = Suggestions::Loading;
            }
        });
        let wishes = UTM_PARTS.map(|part| {
            let mut wish = filter.clone();
            part.clear(&mut wish);
            wish
        });
        // Parts that are not set share one request.
        for (index, wish) in wishes.iter().enumerate() {
            if !wishes[..index].contains(wish) {
                let parts = [0, 1, 2].map(|one| wishes[one] == *wish);
                spawn_local(self.fetch_values(wanted.clone(), wish.clone(), parts));
            }
        }
    }

    /// Requests the values under a filter, for the parts that are marked in `parts`.
    async fn fetch_values(self, wanted: (FormId, Filter), filter: Filter, parts: [bool; 3]) {
        let query = SummaryQuery { filter, time_zone: None };
        let answer = api::get_summary(&wanted.0, &query, None).await;
        if self.requested.try_with_value(|asked| asked.as_ref() == Some(&wanted)) != Some(true) {
            return;
        }
        let found = match answer {
            Ok(it) => {
                [it.utm_sources, it.utm_mediums, it.utm_campaigns].map(|it| to_suggestions(&it))
            }
            // Allows another request: by the retry button, or when a field is next focused.
            Err(error) => {
                self.requested.set_value(None);
                let why = (i18n::utm().failed)(&error.message());
                UTM_PARTS.map(|_| Suggestions::Failed(why.clone()))
            }
        };
        self.suggestions.try_update(|known| {
            for (index, picks) in found.into_iter().enumerate().filter(|it| parts[it.0]) {
                known[index] = picks;
            }
        });
    }

    /// Collects suggestions from the loaded rows.
    fn use_loaded_rows(self) {
        let Some(rows) = self.loaded_rows.map(|loaded| loaded.run(())) else { return };
        let among = (i18n::utm().among_loaded)(rows.len() as u64);
        let picks =
            |index: usize| match count_values(rows.iter().filter_map(|it| it[index].as_deref())) {
                picks if picks.is_empty() => Suggestions::None,
                picks => Suggestions::Loaded(picks, among.clone()),
            };
        self.suggestions.set([0, 1, 2].map(picks));
    }
}

/// Returns the distinct values with their number of occurrences, most frequent first.
fn count_values<'a>(values: impl Iterator<Item = &'a str>) -> Vec<Suggestion> {
    let mut values: Vec<&str> = values.collect();
    values.sort_unstable();
    let mut runs: Vec<&[&str]> = values.chunk_by(|one, next| one == next).collect();
    runs.sort_by_key(|run| Reverse(run.len()));
    let pick =
        |run: &&[&str]| Suggestion { value: run[0].to_owned(), note: number(run.len() as u64) };
    runs.iter().map(pick).collect()
}

fn to_suggestions(values: &Values) -> Suggestions {
    let pick = |value: &contract::summary::ValueCount| Suggestion {
        value: value.value.clone(),
        note: number(value.count),
    };
    let others = match values.others {
        0 => String::new(),
        others => (i18n::utm().others)(others),
    };
    Suggestions::Loaded(values.values.iter().map(pick).collect(), others)
}
