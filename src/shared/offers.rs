//! The UTM values that occur under a filter, offered where they can be typed. A server that cannot
//! tell leaves the fields as they are.

use contract::summary::{SummaryQuery, Values};
use contract::{Filter, FormId};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    model::filter::Part,
    page::number,
    stores::session::SessionStore,
    texts,
    ui::field::{Pick, Picks},
};

/// What is offered, once it was asked for.
#[derive(Clone, Copy)]
pub struct Offers {
    filter: Signal<Filter>,
    form: Signal<Option<FormId>>,
    session: Option<SessionStore>,
    /// For what it was asked last, and the values of source, medium and campaign.
    asked: StoredValue<Option<(FormId, Filter)>>,
    known: RwSignal<[Picks; 3]>,
}

impl Offers {
    /// Returns offers that nobody has asked for yet.
    pub fn new(filter: Signal<Filter>, form: Signal<Option<FormId>>) -> Self {
        Self {
            filter,
            form,
            session: use_context(),
            asked: StoredValue::new(None),
            known: RwSignal::default(),
        }
    }

    /// Returns what is offered for a part; nothing for one that is no UTM value.
    pub fn of(self, part: Part) -> Signal<Picks> {
        let place = match part {
            Part::UtmSource => 0,
            Part::UtmMedium => 1,
            Part::UtmCampaign => 2,
            Part::From | Part::To | Part::Search => return Signal::stored(Picks::None),
        };
        Signal::derive(move || self.known.with(|known| known[place].clone()))
    }

    /// Asks for the values under the dates and the search of the filter, unless they are known.
    pub fn ask(self) {
        let managed = self.session.is_some_and(|session| untrack(|| session.is_managed()));
        let Some(form) = self.form.get_untracked().filter(|_| managed) else { return };
        let mut filter = self.filter.get_untracked();
        for part in [Part::UtmSource, Part::UtmMedium, Part::UtmCampaign] {
            part.clear(&mut filter);
        }
        let wanted = Some((form.clone(), filter.clone()));
        if self.asked.with_value(|asked| *asked == wanted) {
            return;
        }
        self.asked.set_value(wanted.clone());
        // Values that are there already stay until there are others.
        if self.known.with_untracked(|known| !matches!(known[0], Picks::There(..))) {
            self.known.set([Picks::Loading, Picks::Loading, Picks::Loading]);
        }
        spawn_local(async move {
            let query = SummaryQuery { filter, time_zone: None };
            let answer = api::summary(&form, &query, None).await;
            if self.asked.try_with_value(|asked| *asked == wanted) != Some(true) {
                return;
            }
            match answer {
                Ok(it) => {
                    let all = [it.utm_sources, it.utm_mediums, it.utm_campaigns];
                    self.known.try_set(all.map(|values| offered(&values)));
                }
                // It is asked again when it is wished, or when the fields are next used.
                Err(error) => {
                    self.asked.set_value(None);
                    let why = (texts::utm().failed)(&error.message());
                    let failed = || Picks::Failed(why.clone());
                    self.known.try_set([failed(), failed(), failed()]);
                }
            }
        });
    }
}

fn offered(values: &Values) -> Picks {
    let pick = |value: &contract::summary::Value| Pick {
        value: value.value.clone(),
        note: number(value.count),
    };
    let others = match values.others {
        0 => String::new(),
        others => (texts::utm().others)(others),
    };
    Picks::There(values.values.iter().map(pick).collect(), others)
}
