//! The UTM values that occur under a filter, offered where they can be typed: each under all else
//! that is filtered by. Where the server cannot tell, those of the rows that are held are offered;
//! without any, the fields stay as they are.

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

/// The parts that are offered.
const UTM: [Part; 3] = [Part::UtmSource, Part::UtmMedium, Part::UtmCampaign];

/// Tells source, medium and campaign of each row that is held.
pub type Held = Callback<(), Vec<[Option<String>; 3]>>;

/// What is offered, once it was asked for.
#[derive(Clone, Copy)]
pub struct Offers {
    filter: Signal<Filter>,
    form: Signal<Option<FormId>>,
    held: Option<Held>,
    session: Option<SessionStore>,
    /// For what it was asked last, and the values of source, medium and campaign.
    asked: StoredValue<Option<(FormId, Filter)>>,
    known: RwSignal<[Picks; 3]>,
}

impl Offers {
    /// Returns offers that nobody has asked for yet.
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

    /// Returns what is offered for a part; nothing for one that is no UTM value.
    pub fn of(self, part: Part) -> Signal<Picks> {
        match UTM.iter().position(|one| *one == part) {
            Some(place) => Signal::derive(move || self.known.with(|known| known[place].clone())),
            None => Signal::stored(Picks::None),
        }
    }

    /// Asks for the values of each part under the rest of the filter, unless they are known.
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
        // Values that are there already stay until there are others.
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
        // Parts that are not set ask for the same.
        for (place, wish) in wishes.iter().enumerate() {
            if !wishes[..place].contains(wish) {
                let places = [0, 1, 2].map(|one| wishes[one] == *wish);
                spawn_local(self.fetch(wanted.clone(), wish.clone(), places));
            }
        }
    }

    /// Fetches the values under a filter, for those parts that it is the rest of.
    async fn fetch(self, wanted: (FormId, Filter), filter: Filter, places: [bool; 3]) {
        let query = SummaryQuery { filter, time_zone: None };
        let answer = api::summary(&wanted.0, &query, None).await;
        if self.asked.try_with_value(|asked| asked.as_ref() == Some(&wanted)) != Some(true) {
            return;
        }
        let found = match answer {
            Ok(it) => [it.utm_sources, it.utm_mediums, it.utm_campaigns].map(|it| offered(&it)),
            // It is asked again when it is wished, or when the fields are next used.
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

    /// Offers what occurs among the rows that are held.
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

/// Returns the values with how often each occurs, most frequent first.
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
