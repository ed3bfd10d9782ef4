//! Specification, section 4, across its endpoints: for any filter, the list, the export and
//! `Filter::matches` select the same submissions.

use crate::app::{App, TestKey, hostile};
use contract::filter::{
    FieldCriteria, FieldCriterion, FieldOperator, LabelFilters, LabelProperty, Labels, Number,
    NumberRange, Search,
};
use contract::triage::Reader;
use contract::{ExportFormat, ExportQuery, Filter, Form, ListQuery, Submission, Triage};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::Value;
use store::triage::TriageUpdate;
use store::unlisted::Selection;

fn filter_strategy() -> impl Strategy<Value = Filter> {
    let bound = || {
        let micros = (0i64..45).prop_map(|hours| 1_767_225_600_000_000 + hours * 3_600_000_001);
        proptest::option::weighted(0.3, micros.prop_map(contract::Timestamp::from_micros))
    };
    let search = prop_oneof![
        3 => Just(String::new()),
        1 => "[ -~]{1,2}",
        1 => proptest::sample::select(vec![
            "STRASSE", "ß", "a", "E", "1234", "=1+", "two\r\nlines", "日本", "%", "_", "'", "\"",
            "One, t", "true", "null", "é", "e\u{301}", "E é", "\u{feff}", "\\", "person 7", "note",
        ])
        .prop_map(str::to_owned),
    ];
    let utm = |values: Vec<&'static str>| {
        proptest::option::weighted(0.25, proptest::sample::select(values).prop_map(str::to_owned))
    };
    (
        bound(),
        bound(),
        search,
        utm(vec!["google", "Google", "a, \"b\"", "none"]),
        utm(vec!["cpc", "email"]),
        utm(vec!["spring 26", "=x"]),
        (properties_strategy(), fields_strategy()),
    )
        .prop_map(|(one, other, search, utm_source, utm_medium, utm_campaign, properties)| {
            let one = one.flatten();
            let other = other.flatten();
            let is_turned = one.is_some() && other.is_some() && one > other;
            let (date_from, date_to) = if is_turned { (other, one) } else { (one, other) };
            let search = Search::new(&search).unwrap();
            let ((labels, score, seconds), fields) = properties;
            Filter {
                date_from,
                date_to,
                search,
                utm_source,
                utm_medium,
                utm_campaign,
                labels,
                score,
                seconds,
                fields,
                // Only for signed-in members.
                read: None,
                reader: None,
            }
        })
}

/// Criteria for the answers of [`hostile`] submissions. [`resolve_fields`] sets their fields.
fn fields_strategy() -> impl Strategy<Value = FieldCriteria> {
    let values = ["Straße", "ß", "12345678901234567890.1", "one, TWO", "true", "=1+1", "a\nb", "é"];
    let criterion = (
        proptest::sample::select(&["fld_name", "fld_note"][..]),
        proptest::sample::select(&FieldOperator::ALL[..]).prop_filter("not for texts", |it| {
            !matches!(it, FieldOperator::Gte | FieldOperator::Lte)
        }),
        proptest::sample::select(values.to_vec()),
    );
    let criterion = criterion.prop_map(|(field, operator, value)| {
        FieldCriterion::new(field.parse().unwrap(), operator, value).unwrap()
    });
    let criteria = proptest::collection::vec(criterion, 1..3);
    proptest::option::weighted(0.3, criteria).prop_map(|criteria| {
        let mut fields = FieldCriteria::default();
        criteria.into_iter().flatten().for_each(|criterion| fields.add(criterion).unwrap());
        fields
    })
}

/// Returns the filter with the form's fields in place of `fld_name` and `fld_note`.
fn resolve_fields(filter: &Filter, form: &Form) -> Filter {
    let mut fields = FieldCriteria::default();
    for criterion in filter.fields.iter() {
        let key = criterion.field().as_str().trim_start_matches("fld_");
        let id = form.fields.iter().find(|field| field.key == key).unwrap().id.clone();
        let criterion = FieldCriterion::new(id, criterion.operator(), criterion.value());
        fields.add(criterion.unwrap()).unwrap();
    }
    fields.resolve(&form.fields).unwrap();
    Filter { fields, ..filter.clone() }
}

/// Filters by labels and numbers of [`hostile`] submissions; most set at most one.
fn properties_strategy() -> impl Strategy<Value = (LabelFilters, NumberRange, NumberRange)> {
    let label = proptest::sample::select(vec![
        "positive",
        "negative",
        "mixed",
        "Price, delivery",
        "none",
        "Other",
        "en",
        "pt-BR",
        "DE",
        "US",
        "mobile",
        "desktop",
        "Firefox",
        "a\\b",
        "é",
        "other",
    ])
    .prop_map(str::to_owned);
    let label = proptest::option::weighted(0.8, label);
    let filtered = proptest::collection::vec(
        proptest::sample::select(LabelProperty::ALL.to_vec()).prop_flat_map(move |property| {
            let label = match property {
                LabelProperty::Status => one_of(&["open", "in_progress", "done"]),
                LabelProperty::Starred => one_of(&["true", "false"]),
                _ => label.clone().boxed(),
            };
            (Just(property), proptest::collection::vec(label, 1..6))
        }),
        0..3,
    );
    let range = |max: u8| {
        let bound = move || proptest::option::weighted(0.15, 0..=max);
        (bound(), bound()).prop_map(move |(one, other)| {
            let (min, max) =
                if one > other && other.is_some() { (other, one) } else { (one, other) };
            let number = |it: Option<u8>| {
                it.and_then(|it| Number::parse(&(f64::from(it) / 10.0).to_string()))
            };
            NumberRange { min: number(min), max: number(max) }
        })
    };
    (filtered, range(10), range(200)).prop_map(|(filtered, score, seconds)| {
        let mut labels = LabelFilters::default();
        for (property, accepted) in filtered {
            labels.set(property, Labels::new(accepted));
        }
        (labels, score, seconds)
    })
}

/// Labels of a property that every submission has.
fn one_of(labels: &'static [&'static str]) -> BoxedStrategy<Option<String>> {
    proptest::sample::select(labels).prop_map(|label| Some(label.to_owned())).boxed()
}

/// Changes the triage of some rows, and returns all rows with their triage.
async fn triage_rows(app: &App, form: &Form, rows: Vec<Submission>) -> Vec<(Submission, Triage)> {
    for (change, step) in [
        (r#"{"status":"done","add_tags":["other","none"]}"#, 2),
        (r#"{"starred":true,"add_tags":["a\\b","Price, delivery"],"assignee":"psn_1"}"#, 3),
        (r#"{"status":"in_progress","remove_tags":["other"]}"#, 5),
        (r#"{"status":"open","starred":false,"remove_tags":["none"],"assignee":null}"#, 7),
    ] {
        let ids = rows.iter().step_by(step).map(|row| row.id.clone());
        let update = TriageUpdate {
            form: form.id.clone(),
            selection: Selection::Ids(ids.collect()),
            change: serde_json::from_str(change).unwrap(),
            reader: Reader { person: "psn_1".parse().unwrap(), unread_from: form.created_at },
            at: form.created_at,
            with_undo: false,
        };
        app.store.update_triage(update).await.unwrap().unwrap();
    }
    let mut triaged = Vec::new();
    for row in rows {
        let detail = app.store.find_triage(&form.id, &row.id).await.unwrap().unwrap();
        triaged.push((row, detail.triage));
    }
    triaged
}

/// Returns the rows of all pages of the list, and the total of the last page.
async fn list_all_rows(
    app: &App,
    key: &TestKey,
    form: &Form,
    filter: &Filter,
    limit: u16,
) -> (Vec<Value>, u64) {
    let mut query = ListQuery { filter: filter.clone(), limit, cursor: None, sort: None };
    let mut rows = Vec::new();
    loop {
        let path = format!("/v1/forms/{}/submissions?{}", form.id, query.to_query_string());
        let mut page = app.get(key, &path).await.json();
        rows.extend(page["data"].as_array().unwrap().clone());
        query.cursor = page["pagination"]["next_cursor"].as_str().map(str::to_owned);
        if query.cursor.is_none() {
            return (rows, page["pagination"]["total"].take().as_u64().unwrap());
        }
    }
}

async fn export_body(
    app: &App,
    key: &TestKey,
    form: &Form,
    filter: &Filter,
    format: ExportFormat,
) -> String {
    let query = ExportQuery { filter: filter.clone(), format, ..ExportQuery::default() };
    let path = format!("/v1/forms/{}/submissions/export?{}", form.id, query.to_query_string());
    app.get(key, &path).await.body
}

#[test]
fn list_export_and_matcher_select_same_rows() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (app, key, form, rows) = runtime.block_on(async {
        let (app, key, form) = App::with_form(&["name", "note"]).await;
        let mut rows = hostile(&form, 130);
        app.submit(&form, rows.clone()).await;
        rows.sort_by_key(|row| std::cmp::Reverse((row.metadata.submitted_at, row.id.clone())));
        let rows = triage_rows(&app, &form, rows).await;
        (app, key, form, rows)
    });
    let cases = if test_servers::is_full_run() { 150 } else { 60 };
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases) });
    let values = (filter_strategy(), prop_oneof![Just(100u16), 5..40u16]);
    let outcome = runner.run(&values, |(filter, limit)| {
        app.clock.advance_ms(1000);
        let filter = resolve_fields(&filter, &form);
        runtime.block_on(check_selection(&app, &key, &form, &rows, &filter, limit))
    });
    outcome.unwrap();
}

async fn check_selection(
    app: &App,
    key: &TestKey,
    form: &Form,
    rows: &[(Submission, Triage)],
    filter: &Filter,
    limit: u16,
) -> Result<(), TestCaseError> {
    let matching = rows.iter().filter(|(row, triage)| filter.matches(row, triage));
    let local: Vec<&Submission> = matching.map(|(row, _)| row).collect();
    let (list, total) = list_all_rows(app, key, form, filter, limit).await;
    prop_assert_eq!(total, local.len() as u64);
    prop_assert_eq!(
        &list,
        &local.iter().map(|row| serde_json::to_value(row).unwrap()).collect::<Vec<_>>()
    );

    let json: Value =
        serde_json::from_str(&export_body(app, key, form, filter, ExportFormat::Json).await)
            .unwrap();
    prop_assert_eq!(json["data"].as_array().unwrap(), &list);
    prop_assert_eq!(json["export"]["count"].as_u64(), Some(total));

    let csv = export_body(app, key, form, filter, ExportFormat::Csv).await;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let ids: Vec<String> = reader.records().map(|row| row.unwrap()[0].to_owned()).collect();
    prop_assert_eq!(ids, local.iter().map(|row| row.id.to_string()).collect::<Vec<_>>());
    Ok(())
}
