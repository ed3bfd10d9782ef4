//! Suggests the UTM values that occur under a filter. Each field uses the filter without its own
//! part. If the server has no summaries, the loaded rows provide the values; without any values the
//! fields remain plain text fields.

use std::cmp::Reverse;

use contract::summary::{SummaryQuery, Values};
use contract::{Filter, FormId};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    domain::filter::Part,
    i18n::{self, number},
    state::session::SessionStore,
    ui::field::{Pick, Picks},
};

/// Filter parts with suggestions.
const UTM: [Part; 3] = [Part::UtmSource, Part::UtmMedium, Part::UtmCampaign];

/// Returns source, medium and campaign of each loaded row.
pub type Held = Callback<(), Vec<[Option<String>; 3]>>;

/// Suggestions, loaded on request.
#[derive(Clone, Copy)]
pub struct Offers {
    filter: Signal<Filter>,
    form: Signal<Option<FormId>>,
    held: Option<Held>,
    session: Option<SessionStore>,
    /// Form and filter of the last request, and the values of source, medium and campaign.
    asked: StoredValue<Option<(FormId, Filter)>>,
    known: RwSignal<[Picks; 3]>,
}

impl Offers {
    /// Returns suggestions that are not loaded yet.
    pub fn new(filter: Signal<Filter>, form: Signal<Option<FormId>>, held: Option<Held>) -> Self {
        Self {
            filter,
            form,
            held,
            session: use_context(),
            asked: StoredValue::new(None),
            known: RwSignal::default(),
        }
    }

    /// Returns the suggestions for a part; `Picks::None` if it is not a UTM part.
    pub fn of(self, part: Part) -> Signal<Picks> {
        match UTM.iter().position(|one| *one == part) {
            Some(place) => Signal::derive(move || self.known.with(|known| known[place].clone())),
            None => Signal::stored(Picks::None),
        }
    }

    /// Loads the values of each part under the rest of the filter, unless they are loaded already.
    pub fn ask(self) {
        let sums = |session: SessionStore| untrack(|| session.capabilities().summaries);
        if !self.session.is_some_and(sums) {
            self.look_at_held();
            return;
        }
        let Some(form) = self.form.get_untracked() else { return };
        let filter = self.filter.get_untracked();
        let wanted = (form, filter.clone());
        if self.asked.with_value(|asked| asked.as_ref() == Some(&wanted)) {
            return;
        }
        self.asked.set_value(Some(wanted.clone()));
        // Present values stay visible until others are loaded.
        self.known.update(|known| {
            for picks in known.iter_mut().filter(|picks| !matches!(picks, Picks::There(..))) {
                *picks = Picks::Loading;
            }
        });
        let wishes = UTM.map(|part| {
            let mut wish = filter.clone();
            part.clear(&mut wish);
            wish
        });
        // Parts that are not set share one request.
        for (place, wish) in wishes.iter().enumerate() {
            if !wishes[..place].contains(wish) {
                let places = [0, 1, 2].map(|one| wishes[one] == *wish);
                spawn_local(self.fetch(wanted.clone(), wish.clone(), places));
            }
        }
    }

    /// Requests the values under a filter, for the parts that are marked in `places`.
    async fn fetch(self, wanted: (FormId, Filter), filter: Filter, places: [bool; 3]) {
        let query = SummaryQuery { filter, time_zone: None };
        let answer = api::summary(&wanted.0, &query, None).await;
        if self.asked.try_with_value(|asked| asked.as_ref() == Some(&wanted)) != Some(true) {
            return;
        }
        let found = match answer {
            Ok(it) => [it.utm_sources, it.utm_mediums, it.utm_campaigns].map(|it| offered(&it)),
            // Allows another request: by the retry button, or when a field is next focused.
            Err(error) => {
                self.asked.set_value(None);
                let why = (i18n::utm().failed)(&error.message());
                UTM.map(|_| Picks::Failed(why.clone()))
            }
        };
        self.known.try_update(|known| {
            for (place, picks) in found.into_iter().enumerate().filter(|it| places[it.0]) {
                known[place] = picks;
            }
        });
    }

    /// Collects suggestions from the loaded rows.
    fn look_at_held(self) {
        let Some(rows) = self.held.map(|held| held.run(())) else { return };
        let among = (i18n::utm().among_loaded)(rows.len() as u64);
        let picks = |place: usize| match counted(rows.iter().filter_map(|it| it[place].as_deref()))
        {
            picks if picks.is_empty() => Picks::None,
            picks => Picks::There(picks, among.clone()),
        };
        self.known.set([0, 1, 2].map(picks));
    }
}

/// Returns the distinct values with their number of occurrences, most frequent first.
fn counted<'a>(values: impl Iterator<Item = &'a str>) -> Vec<Pick> {
    let mut values: Vec<&str> = values.collect();
    values.sort_unstable();
    let mut runs: Vec<&[&str]> = values.chunk_by(|one, next| one == next).collect();
    runs.sort_by_key(|run| Reverse(run.len()));
    let pick = |run: &&[&str]| Pick { value: run[0].to_owned(), note: number(run.len() as u64) };
    runs.iter().map(pick).collect()
}

fn offered(values: &Values) -> Picks {
    let pick = |value: &contract::summary::Value| Pick {
        value: value.value.clone(),
        note: number(value.count),
    };
    let others = match values.others {
        0 => String::new(),
        others => (i18n::utm().others)(others),
    };
    Picks::There(values.values.iter().map(pick).collect(), others)
}
