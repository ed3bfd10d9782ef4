//! The columns that there are to show of a submission, those of them that are shown, and what
//! stands in each. It keeps nothing itself.

use contract::{Field, Form, Metadata, Submission, Timestamp};

use crate::answer;
use crate::choice::{Chosen, WIDTHS_PX, arrange};
use crate::column::{Column, Slot};
use crate::role::{self, Role};

/// How many rows tell whether the list says where submissions came from.
const ROWS_READ_MAX: usize = 100;
/// How many answers a row shows by itself beside where its submission came from, and without that.
const ANSWERS_MAX: (usize, usize) = (3, 5);

/// What a column shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    When,
    Answer(Field, Role),
    Sentiment,
    Source,
    Medium,
    Campaign,
    Country,
    Device,
    Browser,
    Took,
}

/// A column that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    id: String,
    title: String,
    what: What,
    shown: bool,
}

/// The titles of the columns, in some language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the English titles say what they are")]
pub struct Titles {
    pub browser: &'static str,
    pub campaign: &'static str,
    pub country: &'static str,
    pub device: &'static str,
    pub medium: &'static str,
    pub sentiment: &'static str,
    pub source: &'static str,
    pub submitted: &'static str,
    pub time_taken: &'static str,
}

/// What draws the cells of a row, each by what it shows.
pub trait Cells {
    /// A cell that is drawn.
    type Cell;

    /// Text; a dash where it is empty.
    fn text(&self, text: String) -> Self::Cell;
    /// An instant.
    fn time(&self, at: Timestamp) -> Self::Cell;
    /// The label of a sentiment.
    fn sentiment(&self, label: &str) -> Self::Cell;
    /// The code of a country.
    fn country(&self, code: String) -> Self::Cell;
    /// The code of a kind of device.
    fn device(&self, code: &str) -> Self::Cell;
    /// How long something took, in seconds.
    fn took(&self, seconds: u64) -> Self::Cell;
}

/// Returns whether any of the first rows says which source it came from, and which country.
pub fn origin<'a>(rows: impl IntoIterator<Item = &'a Submission>) -> (bool, bool) {
    rows.into_iter().take(ROWS_READ_MAX).fold((false, false), |(source, country), row| {
        let Metadata { utm_source, ip_country, .. } = &row.metadata;
        (source || utm_source.is_some(), country || ip_country.is_some())
    })
}

/// Returns every column that there is; hidden fields have none. `origin` tells whether any
/// submission has a source, and whether any has a country: columns of nothing but dashes are not
/// shown by themselves.
pub fn offers(
    titles: &Titles,
    form: Option<&Form>,
    fields: &[Field],
    origin: (bool, bool),
) -> Vec<Offer> {
    let analysed = form.is_none_or(|form| form.analysis);
    let fields_max = match origin {
        (false, false) => ANSWERS_MAX.1 - usize::from(analysed),
        _ => ANSWERS_MAX.0,
    };
    let fields: Vec<Field> = fields.iter().filter(|field| !field.hidden).cloned().collect();
    let chosen = role::choose(&fields, fields_max);
    let offer = |id: &str, title: &str, what: What, shown: bool| Offer {
        id: id.to_owned(),
        title: title.to_owned(),
        what,
        shown,
    };
    let mut offers = vec![offer("at", titles.submitted, What::When, true)];
    offers.extend(fields.iter().map(|field| {
        let role = chosen.iter().find(|(one, _)| one == field).map(|(_, role)| *role);
        // By its key: of a server that tells no fields, only that stays the same.
        let id = format!("a.{}", contract::query::encode(&field.key).replace([',', ':'], "."));
        let what = What::Answer(field.clone(), role.unwrap_or(Role::Other));
        offer(&id, &field.name, what, role.is_some())
    }));
    offers.extend([
        offer("sentiment", titles.sentiment, What::Sentiment, analysed),
        offer("source", titles.source, What::Source, origin.0),
        offer("medium", titles.medium, What::Medium, false),
        offer("campaign", titles.campaign, What::Campaign, false),
        offer("country", titles.country, What::Country, origin.1),
        offer("device", titles.device, What::Device, false),
        offer("browser", titles.browser, What::Browser, false),
        offer("took", titles.time_taken, What::Took, false),
    ]);
    offers
}

/// Returns the columns of a choice among those that there are.
pub fn chosen(offers: &[Offer], chosen: &[Chosen]) -> Vec<Chosen> {
    let there: Vec<_> = offers.iter().map(|offer| (offer.id.clone(), offer.shown)).collect();
    arrange(&there, chosen)
}

/// Returns those that are shown, in their order.
pub fn shown(offers: &[Offer], columns: &[Chosen]) -> Vec<Offer> {
    let of = |column: &Chosen| offers.iter().find(|offer| offer.id == column.id).cloned();
    columns.iter().filter(|column| column.shown).filter_map(of).collect()
}

/// Returns whether these are a person's own choice: others than are shown by themselves, or in
/// another order.
pub fn is_own(offers: &[Offer], columns: &[Chosen]) -> bool {
    let by_itself = offers.iter().filter(|offer| offer.shown).map(|offer| &offer.id);
    columns.iter().filter(|column| column.shown).map(|column| &column.id).ne(by_itself)
}

/// Returns where the columns of a person's own choice stand where there is little room: all of them
/// in a narrow table, and on a phone the first ones, as many as it has places for. When and
/// sentiment take the places that they have by themselves, as long as there is another for the
/// first.
pub fn own_slots(shown: &[Offer]) -> Vec<Slot> {
    const PLACES: [Slot; 4] = [Slot::Title, Slot::Text, Slot::Aside, Slot::Mark];
    let first = &shown[..shown.len().min(PLACES.len())];
    let by_itself = |offer: &Offer| match offer.what {
        What::When => Some(Slot::Aside),
        What::Sentiment => Some(Slot::Mark),
        _ => None,
    };
    let any = first.iter().any(|offer| by_itself(offer).is_none());
    let own = |offer: &Offer| by_itself(offer).filter(|_| any);
    let taken: Vec<Slot> = first.iter().filter_map(own).collect();
    let mut free = PLACES.into_iter().filter(|slot| !taken.contains(slot));
    let mut place = |(index, offer): (usize, &Offer)| match first.get(index) {
        Some(_) => own(offer).or_else(|| free.next()).unwrap_or(Slot::More),
        None => Slot::More,
    };
    shown.iter().enumerate().map(&mut place).collect()
}

/// Returns the columns with another width of one of them.
pub fn resized(mut columns: Vec<Chosen>, id: &str, width_px: u32) -> Vec<Chosen> {
    if let Some(column) = columns.iter_mut().find(|column| column.id == id) {
        column.width_px = Some(width_px.clamp(WIDTHS_PX.0, WIDTHS_PX.1));
    }
    columns
}

impl Offer {
    /// Returns what it is called in a choice.
    pub fn id(&self) -> String {
        self.id.clone()
    }

    /// Returns the column for a table, as wide as was chosen.
    pub fn column(&self, columns: &[Chosen], whole_times: bool) -> Column {
        let (width_px, share, slot) = match self.what {
            What::When if whole_times => (192, 0, Slot::Aside),
            What::When => (120, 0, Slot::Aside),
            What::Answer(_, Role::Title) => (160, 2, Slot::Title),
            What::Answer(_, Role::Words) => (160, 3, Slot::Text),
            What::Answer(_, Role::Spare) => (160, 2, Slot::Spare),
            What::Answer(_, Role::Other) => (144, 2, Slot::Extra),
            What::Sentiment => (116, 0, Slot::Mark),
            What::Country => (80, 0, Slot::Extra),
            _ => (104, 0, Slot::Extra),
        };
        let column = Column::new(self.title.clone(), width_px).grows(share).slot(slot);
        match columns.iter().find(|column| column.id == self.id).and_then(|one| one.width_px) {
            Some(width_px) => column.wide(width_px),
            None => column,
        }
    }

    /// Draws what a row shows in this column.
    pub fn cell<C: Cells>(&self, row: &Submission, cells: &C) -> C::Cell {
        let metadata = &row.metadata;
        let of = |one: &Option<String>| cells.text(one.clone().unwrap_or_default());
        let none = || cells.text(String::new());
        match &self.what {
            What::When => cells.time(metadata.submitted_at),
            What::Answer(field, _) => cells.text(answer::cell(row, field)),
            What::Sentiment => {
                match row.ai_insights.as_ref().and_then(|it| it.sentiment.as_ref()) {
                    Some(label) => cells.sentiment(label),
                    None => none(),
                }
            }
            What::Source => of(&metadata.utm_source),
            What::Medium => of(&metadata.utm_medium),
            What::Campaign => of(&metadata.utm_campaign),
            What::Country => match metadata.ip_country.clone() {
                Some(code) => cells.country(code),
                None => none(),
            },
            What::Device => metadata.device.as_deref().map_or_else(none, |it| cells.device(it)),
            What::Browser => of(&metadata.browser),
            What::Took => metadata.completion_time_seconds.map_or_else(none, |s| cells.took(s)),
        }
    }

    /// Returns the answer that it shows, and what that is to the row.
    pub fn answer(&self) -> Option<(&Field, Role)> {
        match &self.what {
            What::Answer(field, role) => Some((field, *role)),
            _ => None,
        }
    }

    /// Returns what stands over it.
    pub fn title(&self) -> &str {
        &self.title
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{choice::parse, words::ENGLISH};

    /// The columns of a form with two answers that says nothing of where it is answered from.
    fn there() -> Vec<Offer> {
        let field = |key: &str| Field {
            id: format!("fld_{key}").parse().expect("an id"),
            key: key.to_owned(),
            name: key.to_owned(),
            kind: contract::FieldType::Text,
            hidden: false,
        };
        offers(&ENGLISH.titles, None, &["name", "text"].map(field), (false, false))
    }

    #[test]
    fn a_hidden_field_is_no_column() {
        let field = |key: &str| Field {
            id: format!("fld_{key}").parse().expect("an id"),
            key: key.to_owned(),
            name: key.to_owned(),
            kind: contract::FieldType::Text,
            hidden: key == "name",
        };
        let fields = ["name", "text"].map(field);
        let ids = offers(&ENGLISH.titles, None, &fields, (false, false));
        let ids: Vec<_> = ids.iter().map(Offer::id).filter(|id| id.starts_with("a.")).collect();
        assert_eq!(ids, ["a.text"]);
    }

    #[test]
    fn what_is_shown_by_itself_is_no_choice() {
        let check = |text: &str, own: bool| {
            let columns = chosen(&there(), &parse(text));
            assert_eq!(is_own(&there(), &columns), own, "{text}");
        };
        check("", false);
        // Only another width.
        check("at,a.name:300,a.text,sentiment,-device", false);
        check("at,a.name,a.text,sentiment,device", true);
        check("at,a.name,a.text,-sentiment", true);
        check("a.name,at,a.text,sentiment", true);
    }

    #[test]
    fn the_first_columns_of_a_choice_have_the_places_of_a_phone() {
        let check = |text: &str, slots: &str| {
            let hidden = "-at,-a.name,-a.text,-sentiment";
            let columns = chosen(&there(), &parse(&format!("{text},{hidden}")));
            let found = own_slots(&shown(&there(), &columns));
            assert_eq!(found.iter().map(|slot| slot.name()).collect::<Vec<_>>().join(" "), slots);
        };
        check("device,at,took", "title aside text");
        check("at,device,browser,took,a.name", "aside title text mark more");
        check("device,browser,took,country,at", "title text aside mark more");
        check("sentiment,a.text", "mark title");
        check("at,sentiment", "title text");
        check("took", "title");
    }
}
