//! Tests of the query parsers: error messages, and writing as the inverse of parsing.

use super::*;
use crate::InboxQuery;
use crate::filter::{FieldCriteria, FieldOperator, LabelFilters, NumberRange};
use crate::triage::TriageColumn;
use proptest::prelude::*;

#[track_caller]
fn assert_rejected(query: &str, message: &str) {
    let list = ListQuery::parse(query).map_err(|error| error.message);
    assert_eq!(list, Err(message.to_owned()), "{query}");
}

#[test]
fn empty_query_has_defaults() {
    assert_eq!(ListQuery::parse(""), Ok(ListQuery::default()));
    assert_eq!(ListQuery::parse("&&"), Ok(ListQuery::default()));
    assert_eq!(ListQuery::parse("search=&utm_source=&search2=").unwrap_err().parameter, "search2");
    assert!(ListQuery::parse("search=+%20&utm_source=&utm_medium=").unwrap().filter.is_empty());
    let empty = ListQuery::parse("cursor=&limit=&date_from=&date_to=&search");
    assert_eq!(empty, Ok(ListQuery::default()));
    let empty = ExportQuery::parse("format=&fields=&safe=&columns=&date_from=&date_to=");
    assert_eq!(empty, Ok(ExportQuery::default()));
    assert_eq!(ListQuery::parse_with("limit=", 50).unwrap().limit, 50);
    // Parameters of other endpoints are rejected, even if empty.
    assert_eq!(ListQuery::parse("format=").unwrap_err().parameter, "format");
    assert_eq!(ExportQuery::parse("limit=").unwrap_err().parameter, "limit");
    assert_eq!(ListQuery::parse("limit=&limit=5").unwrap_err().parameter, "limit");
}

#[test]
fn labels_and_numbers_are_parsed() {
    let query = "sentiment=negative,mixed&country=none,DE&category=a%5C,b&score_max=0.25\
                 &seconds_min=10&device=&browser=,&score_min=";
    let filter = ListQuery::parse(query).unwrap().filter;
    assert_eq!(
        ListQuery { filter: filter.clone(), ..ListQuery::default() }.to_query_string(),
        "score_max=0.25&seconds_min=10&sentiment=mixed,negative&category=a%5C,b&country=none,DE"
    );
    assert!(filter.has_properties());
    assert!(ListQuery::parse("sentiment=&score_min=").unwrap().filter.is_empty());
    assert_rejected("score_min=low", "`score_min` must be a number such as `0.5`, but is `low`");
    assert_rejected(
        "seconds_min=9&seconds_max=3.5",
        "`seconds_min` (`9`) must not be greater than `seconds_max` (`3.5`)",
    );
    let long = format!("device={}", "x".repeat(1001));
    assert_rejected(&long, "`device` must have at most 1000 characters, but has 1001");
    assert_eq!(ListQuery::parse("device=a&device=b").unwrap_err().parameter, "device");
}

#[test]
fn errors_name_parameter_and_remedy() {
    for bad in ["0", "101", "-1", "+5", "5.0", "%20", "ten", "65537", "99999999999999999999"] {
        let query = format!("limit={bad}");
        let error = ListQuery::parse(&query).unwrap_err();
        assert_eq!(error.parameter, "limit", "{bad}");
    }
    assert_rejected("limit=250", "`limit` must be a whole number from 1 to 100, but is `250`");
    assert_rejected(
        "date_from=2026-02-30",
        "`date_from` must be an ISO 8601 date such as `2026-03-01` or date-time such as \
         `2026-03-01T09:30:00Z`, but is `2026-02-30`",
    );
    assert_rejected(
        "date_to=2026-03-01T00:00:00+01:00",
        "`date_to` must be an ISO 8601 date such as `2026-03-01` or date-time such as \
         `2026-03-01T09:30:00Z`, but is `2026-03-01T00:00:00 01:00`; write the `+` of an offset \
         as `%2B`",
    );
    assert_rejected(
        "date_to=9999-12-31T23:59:59.9999999Z",
        "`date_to` must be an ISO 8601 date such as `2026-03-01` or date-time such as \
         `2026-03-01T09:30:00Z`, but is `9999-12-31T23:59:59.9999999Z`",
    );
    assert_rejected(
        "date_from=2026-03-02&date_to=2026-03-01",
        "`date_from` (`2026-03-02T00:00:00Z`) must not be after `date_to` (`2026-03-01T00:00:00Z`)",
    );
    assert_rejected(
        "utm_src=x",
        "`utm_src` is not a parameter of this endpoint; check its spelling or leave it out",
    );
    assert_rejected("search=a&search=b", "`search` is given more than once; give it once");
    assert_rejected("search=%FF", "`search` is not UTF-8 text");
    assert_rejected(
        "format=csv",
        "`format` is not a parameter of this endpoint; check its spelling or leave it out",
    );
    let long = "x".repeat(201);
    assert_rejected(
        &format!("search={long}"),
        "`search` must have at most 200 characters, but has 201",
    );
    assert_eq!(ListQuery::parse("date_from=2026-03-01&date_to=2026-03-01").unwrap().limit, 20);
}

#[test]
fn export_query_has_own_parameters() {
    let query = ExportQuery::parse("format=json&fields=fld_b,fld_a&safe=true").unwrap();
    assert_eq!(query.format, ExportFormat::Json);
    assert_eq!(query.fields.unwrap().len(), 2);
    assert!(query.disarms_formulas);
    let message = |query| ExportQuery::parse(query).unwrap_err().message;
    assert_eq!(message("format=xml"), "`format` must be `csv` or `json`, but is `xml`");
    assert_eq!(message("safe=1"), "`safe` must be `true` or `false`, but is `1`");
    let columns = ExportQuery::parse("columns=notes_count,status").unwrap();
    assert_eq!(columns.to_query_string(), "columns=status,notes_count");
    assert_eq!(message("columns=tags,tags"), "`columns` names `tags` twice; name it once");
    assert_eq!(
        message("columns=tags,read"),
        "`columns` names `read`, which is not a column; use `status`, `tags`, `assignee`, \
         `starred`, `notes_count`"
    );
    assert_eq!(message("fields=fld_a,fld_a"), "`fields` names `fld_a` twice; name it once");
    for bad in ["fields=,", "fields=fld_a,", "fields=name", "fields=fld_a,%20fld_b"] {
        assert_eq!(ExportQuery::parse(bad).unwrap_err().parameter, "fields", "{bad}");
    }
    assert_eq!(ExportQuery::parse("limit=5").unwrap_err().parameter, "limit");
}

#[test]
fn long_values_are_cut_in_errors() {
    let error = ListQuery::parse(&format!("limit={}", "9".repeat(5000))).unwrap_err();
    assert!(error.message.len() < 200, "{}", error.message);
    let error = ListQuery::parse(&format!("{}=1", "n".repeat(5000))).unwrap_err();
    assert!(error.message.len() < 300, "{}", error.message);
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let instant = || {
        proptest::option::of(
            (0i64..4_000_000_000_000_000).prop_map(|t| Timestamp::from_micros(t).unwrap()),
        )
    };
    let text = || proptest::option::of("\\PC{1,20}");
    let labels = proptest::collection::vec(
        proptest::collection::vec(proptest::option::of("\\PC{1,5}|none"), 0..3),
        LabelProperty::ALL.len(),
    );
    let range = || {
        let bound = || proptest::option::of(-1_000_000..1_000_000_i32);
        (bound(), bound()).prop_map(|(first, second)| {
            let (min, max) = match (first, second) {
                (Some(a), Some(b)) if a > b => (second, first),
                _ => (first, second),
            };
            let number =
                |value: Option<i32>| value.and_then(|value| Number::parse(&value.to_string()));
            NumberRange { min: number(min), max: number(max) }
        })
    };
    let utm = (text(), text(), text());
    let read = proptest::option::of(any::<bool>());
    let dates = (instant(), instant());
    (dates, "\\PC{0,20}", utm, labels, (range(), range()), any_fields(), read).prop_map(
        |((first, second), search, utm, label_lists, (score, seconds), fields, read)| {
            let (date_from, date_to) = match (first, second) {
                (Some(a), Some(b)) if a > b => (second, first),
                _ => (first, second),
            };
            let search = Search::new(&search).unwrap();
            let (utm_source, utm_medium, utm_campaign) = utm;
            let mut labels = LabelFilters::default();
            for (property, values) in LabelProperty::ALL.into_iter().zip(label_lists) {
                // Statuses and stars have fixed forms.
                let values = values.into_iter().map(|label: Option<String>| match property {
                    LabelProperty::Status => Some("done".to_owned()),
                    LabelProperty::Starred => Some(label.is_some().to_string()),
                    _ => label,
                });
                labels.set(property, Labels::new(values));
            }
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
                read,
                reader: None,
            }
        },
    )
}

fn any_sort() -> impl Strategy<Value = Option<Sort>> {
    const SORTS: [&str; 5] = ["", "+submitted_at", "-updated_at", "sentiment_score", "-fld_a"];
    proptest::sample::select(&SORTS[..])
        .prop_map(|text| if text.is_empty() { None } else { Sort::parse(text).unwrap() })
}

fn any_fields() -> impl Strategy<Value = FieldCriteria> {
    let operator = proptest::sample::select(&FieldOperator::ALL[..]);
    let value = proptest::option::weighted(0.7, "\\PC{1,5}");
    proptest::collection::vec(("fld_[ab]", operator, value), 0..4).prop_map(|criteria| {
        let mut fields = FieldCriteria::default();
        for (field, operator, value) in criteria {
            let value = value.unwrap_or_else(|| "-1.5".to_owned());
            let field = field.parse().unwrap();
            if let Ok(criterion) = FieldCriterion::new(field, operator, &value) {
                fields.add(criterion).unwrap();
            }
        }
        fields
    })
}

#[test]
fn filter_alone_has_no_other_parameters() {
    let text = "search=a&status=open,waiting&starred=true";
    let list = ListQuery::parse(text).unwrap();
    assert_eq!(Filter::parse(text), Ok(list.filter));
    assert_eq!(Filter::parse(""), Ok(Filter::default()));
    for (text, parameter) in [
        ("limit=20", "limit"),
        ("status=open&cursor=", "cursor"),
        ("format=csv", "format"),
        ("status=open&status=done", "status"),
        ("score_min=2&score_max=1", "score_min"),
    ] {
        assert_eq!(Filter::parse(text).unwrap_err().parameter, parameter, "{text}");
    }
}

proptest! {
    #[test]
    fn list_query_round_trips(
        filter in any_filter(), limit in 1u16..=100, cursor in proptest::option::of("\\PC{1,40}"),
        sort in any_sort(),
    ) {
        let query = ListQuery { filter, limit, cursor, sort };
        prop_assert_eq!(ListQuery::parse(&query.to_query_string()), Ok(query));
    }

    #[test]
    fn inbox_query_round_trips(
        filter in any_filter(), limit in 1u16..=100, cursor in proptest::option::of("\\PC{1,40}"),
    ) {
        let filter = Filter { fields: FieldCriteria::default(), ..filter };
        let query = InboxQuery { environment: Environment::Live, filter, limit, cursor };
        prop_assert_eq!(InboxQuery::parse(&query.to_query_string()), Ok(query));
    }

    #[test]
    fn export_query_round_trips(
        filter in any_filter(), json: bool, safe: bool,
        fields in proptest::option::of(proptest::collection::hash_set("fld_[a-z0-9]{1,8}", 1..5)),
        columns in proptest::sample::subsequence(&TriageColumn::ALL, 0..=TriageColumn::ALL.len()),
        sort in any_sort(),
    ) {
        let format = if json { ExportFormat::Json } else { ExportFormat::Csv };
        let fields = fields.map(|ids| ids.iter().map(|id| id.parse().unwrap()).collect());
        let query = ExportQuery {
            filter,
            format,
            fields,
            disarms_formulas: safe,
            triage: columns.into_iter().collect(),
            sort,
        };
        prop_assert_eq!(ExportQuery::parse(&query.to_query_string()), Ok(query));
    }

    #[test]
    fn any_query_parses_without_panic(query in "\\PC{0,80}") {
        let _ = (ListQuery::parse(&query), ExportQuery::parse(&query), InboxQuery::parse(&query));
    }
}
