//! Virtualised table: few nodes, exact counts, and keyboard access to every row.

use dashboard::ui::badge::{StatusTone, glyph_of};
use dashboard::ui::table::{Cell, Column, Slot, Table, TableHandle};
use std::cell::Cell as StdCell;
use std::ops::Range;
use std::rc::Rc;

use js_sys::Function;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, HtmlElement, Node};

use crate::stage::{Stage, attr, click_with_alt, is_focused, owner, press_key, settle, type_key};

/// Events that a table reported to its parent.
#[derive(Clone, Copy)]
struct TableEvents {
    opened: RwSignal<Vec<usize>>,
    filtered: RwSignal<Option<(usize, usize)>>,
    range: RwSignal<(usize, usize)>,
}

#[derive(Clone, Copy)]
struct Props {
    count: RwSignal<usize>,
    total: RwSignal<Option<u64>>,
    /// Part of the key and the text of each row.
    edition: RwSignal<u32>,
    current: RwSignal<Option<usize>>,
    busy: RwSignal<bool>,
    handle: TableHandle,
}

impl Props {
    fn new(count: usize) -> Self {
        Self {
            count: RwSignal::new(count),
            total: RwSignal::new(Some(count as u64)),
            edition: RwSignal::new(0),
            current: RwSignal::new(None),
            busy: RwSignal::new(false),
            handle: TableHandle::default(),
        }
    }

    async fn mount(&self, size: (u32, u32)) -> (Stage, TableEvents) {
        let Self { count, total, edition, current, busy, handle } = *self;
        let events = TableEvents {
            opened: RwSignal::new(Vec::new()),
            filtered: RwSignal::new(None),
            range: RwSignal::new((0, 0)),
        };
        let columns = vec![
            Column::new("When", 140).with_slot(Slot::Aside),
            Column::new("What", 300).with_share(1).with_slot(Slot::Title),
            Column::new("Score", 90).into_numeric().with_slot(Slot::Mark),
            Column::new("Command", 200),
        ];
        let row = move |index: usize| {
            vec![
                Cell::Text(format!("row {index}")),
                Cell::Text(format!("edition {}", edition.get_untracked())),
                Cell::Text("7".to_owned()),
                Cell::View(view! { <button class="act">"act"</button> }.into_any()),
            ]
        };
        let stage = Stage::styled(size, move || {
            view! {
                <Table
                    label="Rows"
                    columns
                    count
                    total
                    keys=move |rows| rows.map(|index| (edition.get(), index)).collect()
                    row
                    current
                    busy
                    handle
                    on_open=move |index| events.opened.update(|opened| opened.push(index))
                    on_filter=move |cell| events.filtered.set(Some(cell))
                    on_range=move |range| events.range.set(range)
                />
            }
        });
        settle().await;
        (stage, events)
    }
}

/// Returns the rendered rows in visual order, from the top.
fn visible_rows(stage: &Stage) -> Vec<HtmlElement> {
    let mut rows = stage.all(".grid-rows > [role=row]");
    rows.sort_by(|one, other| {
        let top = |row: &HtmlElement| row.get_bounding_client_rect().top();
        top(one).total_cmp(&top(other))
    });
    rows
}

fn row_labels(stage: &Stage) -> Vec<String> {
    let lead = |row: &HtmlElement| row.query_selector("[data-slot=aside]").unwrap().unwrap();
    visible_rows(stage).iter().map(|row| lead(row).text_content().unwrap()).collect()
}

fn focused_row(stage: &Stage) -> HtmlElement {
    visible_rows(stage).into_iter().find(is_focused).expect("a row has the focus")
}

fn focused_index(stage: &Stage) -> Option<String> {
    let row = visible_rows(stage).into_iter().find(is_focused)?;
    attr(&row, "aria-rowindex")
}

/// Returns whether a row is completely visible below the header of the grid.
fn in_view(stage: &Stage, label: &str) -> bool {
    let grid = stage.one("[role=grid]").get_bounding_client_rect();
    let top = stage.one(".grid-head").get_bounding_client_rect().bottom();
    visible_rows(stage).iter().any(|row| {
        let own = row.get_bounding_client_rect();
        row.text_content().unwrap().starts_with(&format!("{label}edition"))
            && own.top() >= top - 1.5
            && own.bottom() <= grid.bottom() + 1.5
    })
}

#[wasm_bindgen_test]
async fn million_rows_use_few_nodes() {
    let _owner = owner();
    let props = Props::new(1_000_000);
    let (stage, events) = props.mount((900, 600)).await;
    let grid = stage.one("[role=grid]");
    assert_eq!(attr(&grid, "aria-rowcount").as_deref(), Some("1000001"));
    assert_eq!(visible_rows(&stage)[0].offset_height(), 44);
    assert!(in_view(&stage, "row 0"));
    let at_start = stage.nodes();
    assert!(at_start < 300, "{at_start} nodes");
    let mut most = at_start;
    for percent in [10, 37, 50, 99] {
        grid.set_scroll_top(grid.scroll_height() / 100 * percent);
        settle().await;
        most = most.max(stage.nodes());
    }
    assert!(most <= at_start + 60, "{at_start} became {most}");

    grid.set_scroll_top(i32::MAX);
    settle().await;
    assert!(in_view(&stage, "row 999999"), "{:?}", row_labels(&stage));
    assert_eq!(events.range.get_untracked().1, 1_000_000);
    let last = visible_rows(&stage).pop().unwrap();
    let bottoms = [&last, &grid].map(|element| element.get_bounding_client_rect().bottom());
    assert!((bottoms[0] - bottoms[1]).abs() < 1.5, "{bottoms:?}");
    assert_eq!(attr(&last, "aria-rowindex").as_deref(), Some("1000001"));
}

#[wasm_bindgen_test]
async fn keys_move_the_single_tab_stop() {
    let _owner = owner();
    let props = Props::new(5_000);
    let (stage, events) = props.mount((900, 600)).await;
    let stops = || {
        let rows = stage.all(".grid-rows > [tabindex='0']");
        rows.iter().map(|row| attr(row, "aria-rowindex").unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(stops(), ["2"]);
    visible_rows(&stage)[0].focus().unwrap();
    for (key, index) in [
        ("j", 1),
        ("ArrowDown", 2),
        ("k", 1),
        ("ArrowUp", 0),
        ("k", 0),
        ("PageDown", 12),
        ("End", 4_999),
        ("PageUp", 4_987),
        ("Home", 0),
    ] {
        assert!(press_key(&focused_row(&stage), key), "{key}");
        settle().await;
        assert_eq!(props.handle.active().get_untracked(), index, "{key}");
        assert_eq!(stops(), [(index + 2).to_string()], "{key}");
        assert!(in_view(&stage, &format!("row {index}")), "{key}");
    }
    let first = focused_row(&stage);
    press_key(&first, "Enter");
    assert_eq!(events.opened.get_untracked(), [0]);
    assert!(!press_key(&first, "x"));
}

#[wasm_bindgen_test]
async fn focus_survives_scrolling_its_row_away() {
    let _owner = owner();
    let props = Props::new(5_000);
    let (stage, _) = props.mount((900, 600)).await;
    visible_rows(&stage)[2].focus().unwrap();
    let grid = stage.one("[role=grid]");
    grid.set_scroll_top(100_000);
    settle().await;
    assert!(is_focused(&grid));
    // The keyboard continues from the row that had the focus.
    type_key(&grid, "j").await;
    assert!(in_view(&stage, "row 3"));
    assert!(visible_rows(&stage).iter().any(is_focused));
}

#[wasm_bindgen_test]
async fn replaced_row_keeps_focus() {
    let _owner = owner();
    let props = Props::new(5_000);
    let (stage, _) = props.mount((900, 600)).await;
    visible_rows(&stage)[0].focus().unwrap();
    for (key, index) in [("PageDown", 12), ("PageDown", 24), ("j", 25)] {
        type_key(&focused_row(&stage), key).await;
        // New keys replace the rows, as when missing data has loaded.
        props.edition.update(|edition| *edition += 1);
        settle().await;
        let at = focused_row(&stage);
        assert_eq!(attr(&at, "aria-rowindex"), Some((index + 2).to_string()), "{key}");
        assert_eq!(attr(&at, "tabindex").as_deref(), Some("0"), "{key}");
    }
}

#[wasm_bindgen_test]
async fn click_opens_row_but_not_via_controls() {
    let _owner = owner();
    let props = Props::new(50);
    let (stage, events) = props.mount((900, 600)).await;
    stage.all(".act")[4].click();
    assert!(events.opened.get_untracked().is_empty());
    assert!(!press_key(&stage.all(".act")[4], "Enter"));
    stage.all(".grid-rows [data-slot=title]")[3].click();
    assert_eq!(events.opened.get_untracked(), [3]);
    props.current.set(Some(3));
    settle().await;
    let current = stage.one("[aria-current=true]");
    assert_eq!(attr(&current, "aria-rowindex").as_deref(), Some("5"));

    click_with_alt(&stage.all(".act")[4]);
    assert_eq!(events.filtered.get_untracked(), None, "a control");
    click_with_alt(&stage.all(".grid-rows [data-slot=mark]")[4]);
    assert_eq!(events.filtered.get_untracked(), Some((4, 2)));
    assert_eq!(events.opened.get_untracked(), [3]);
}

#[wasm_bindgen_test]
async fn appended_rows_keep_the_scroll_position() {
    let _owner = owner();
    let props = Props::new(500);
    props.total.set(None);
    let (stage, events) = props.mount((900, 600)).await;
    let grid = stage.one("[role=grid]");
    assert_eq!(attr(&grid, "aria-rowcount").as_deref(), Some("-1"));
    grid.set_scroll_top(470 * 44);
    settle().await;
    let range = events.range.get_untracked();
    assert!(range.0 > 450 && range.1 >= 485, "{range:?}");

    props.busy.set(true);
    settle().await;
    assert_eq!(attr(&grid, "aria-busy").as_deref(), Some("true"));
    let before = row_labels(&stage);
    props.count.set(5_000);
    settle().await;
    assert_eq!(row_labels(&stage)[..before.len().min(20)], before[..before.len().min(20)]);
}

/// Returns the index of the row at the top edge of the grid, plus its hidden fraction.
fn top_row(stage: &Stage) -> f64 {
    let top = stage.one(".grid-head").get_bounding_client_rect().bottom();
    let first = visible_rows(stage).remove(0);
    let index: f64 = attr(&first, "aria-rowindex").unwrap().parse().unwrap();
    index - 2.0 + (top - first.get_bounding_client_rect().top()) / 44.0
}

#[wasm_bindgen_test]
async fn wheel_step_is_constant_at_any_position() {
    let _owner = owner();
    let props = Props::new(3_000_000);
    let (stage, _) = props.mount((900, 600)).await;
    let grid = stage.one("[role=grid]");
    for percent in [0, 40, 97] {
        // A drag of the scroll bar moves to that share of the list.
        grid.set_scroll_top(grid.scroll_height() / 100 * percent);
        settle().await;
        let before = top_row(&stage);
        let share = before / 3_000_000.0 * 100.0;
        assert!((share - f64::from(percent)).abs() < 1.0, "{share}");
        for _ in 0..5 {
            grid.set_scroll_top(grid.scroll_top() + 132);
            settle().await;
        }
        let moved = top_row(&stage) - before;
        assert!((moved - 15.0).abs() < 0.2, "{moved} rows by five notches of three");
        // When scrolling stops, the scroll bar is corrected without moving the visible rows.
        let before = top_row(&stage);
        crate::stage::wait(400).await;
        assert!((top_row(&stage) - before).abs() < 0.1);
    }
    // The wheel alone reaches the first row.
    props.handle.restore_position(60.0);
    settle().await;
    for _ in 0..25 {
        grid.set_scroll_top(grid.scroll_top() - 132);
        crate::stage::wait(20).await;
    }
    settle().await;
    assert!(top_row(&stage).abs() < 0.1, "{}", top_row(&stage));
    assert_eq!(grid.scroll_top(), 0);
}

#[wasm_bindgen_test]
async fn row_elements_are_reused_while_scrolling() {
    let _owner = owner();
    let props = Props::new(5_000);
    let (stage, _) = props.mount((900, 600)).await;
    let grid = stage.one("[role=grid]");
    grid.set_scroll_top(44 * 100);
    settle().await;
    let known = visible_rows(&stage);
    for notch in [3, 7, 400, -2, -500, 9, 40, -40] {
        grid.set_scroll_top(grid.scroll_top() + 44 * notch);
        settle().await;
        let now = visible_rows(&stage);
        assert!(now.iter().all(|row| known.contains(row)), "by {notch}");
        let first: usize = attr(&now[0], "aria-rowindex").unwrap().parse().unwrap();
        for (at, row) in now.iter().enumerate() {
            let index = first + at;
            assert_eq!(attr(row, "aria-rowindex"), Some(index.to_string()), "by {notch}");
            let text = row.text_content().unwrap();
            assert!(text.starts_with(&format!("row {}edition", index - 2)), "by {notch}: {text}");
        }
    }
}

/// Returns a function that lists the mutations in `rows` since its last call: the names of written
/// attributes, `characterData`, and for added or removed nodes `rows` (in `rows` itself) or
/// `childList` (in a cell).
fn watch_mutations(rows: &HtmlElement) -> impl Fn() -> Vec<String> + use<> {
    let script = "const seen = [];
        const name = ({ type, attributeName, target }) =>
            attributeName ?? (target === rows ? 'rows' : type);
        new MutationObserver((list) => seen.push(...list.map(name))).observe(rows, {
            subtree: true, childList: true, characterData: true, attributes: true,
        });
        return () => seen.splice(0).sort().join(' ');";
    let take_mutations =
        Function::new_with_args("rows", script).call1(&JsValue::NULL, rows).unwrap();
    let take_mutations: Function = take_mutations.unchecked_into();
    move || {
        let names = take_mutations.call0(&JsValue::NULL).unwrap().as_string().unwrap();
        names.split_whitespace().map(str::to_owned).collect()
    }
}

/// Mounts a table whose rows differ only in the first column. From edition to edition only the last
/// column changes.
async fn mount_plain_table(edition: RwSignal<u32>) -> Stage {
    let stage = Stage::styled((900, 600), move || {
        let columns = ["What", "Score", "Note"].map(|title| Column::new(title, 140)).to_vec();
        let row = move |index: usize| {
            let text = |text: &str| Cell::Text(text.to_owned());
            let note = match edition.get_untracked() % 3 {
                0 => text("a note"),
                1 => Cell::Badge(StatusTone::Positive, "good".to_owned()),
                _ => text(""),
            };
            vec![text(&format!("row {index}")), text("7"), note]
        };
        let keys = move |rows: Range<usize>| rows.map(|index| (edition.get(), index)).collect();
        view! { <Table label="Rows" columns count=5_000 total=None keys row /> }
    });
    settle().await;
    stage
}

#[wasm_bindgen_test]
async fn scrolled_row_writes_only_changed_parts() {
    let _owner = owner();
    let stage = mount_plain_table(RwSignal::new(0)).await;
    let grid = stage.one("[role=grid]");
    grid.set_scroll_top(44 * 100);
    settle().await;
    let take_mutations = watch_mutations(&stage.one(".grid-rows"));
    for notch in [3, -2, 5] {
        grid.set_scroll_top(grid.scroll_top() + 44 * notch);
        settle().await;
        let once = ["aria-rowindex", "characterData", "style"];
        let each = |what| std::iter::repeat_n(what, usize::try_from(notch.abs()).unwrap());
        let wanted: Vec<_> = once.into_iter().flat_map(each).collect();
        assert_eq!(take_mutations(), wanted, "by {notch} rows");
    }
    // After three scrolls before one paint, each row is written once.
    for _ in 0..3 {
        grid.set_scroll_top(grid.scroll_top() + 44);
    }
    settle().await;
    assert_eq!(take_mutations().len(), 9);
}

#[wasm_bindgen_test]
async fn idle_rows_are_in_list_order() {
    let _owner = owner();
    let stage = mount_plain_table(RwSignal::new(0)).await;
    let grid = stage.one("[role=grid]");
    let in_page = || {
        let rows = stage.all(".grid-rows > [role=row]").into_iter();
        rows.map(|row| attr(&row, "aria-rowindex").unwrap().parse().unwrap()).collect::<Vec<u32>>()
    };
    for (notches, focus) in [(vec![3, 4], None), (vec![100], None), (vec![-5, 9, -2], Some(20))] {
        if let Some(at) = focus {
            visible_rows(&stage)[at].focus().unwrap();
        }
        for notch in &notches {
            grid.set_scroll_top(grid.scroll_top() + 44 * notch);
            settle().await;
        }
        let had_focus = focused_index(&stage);
        crate::stage::wait(500).await;
        assert!(in_page().is_sorted(), "after {notches:?}: {:?}", in_page());
        assert_eq!(focused_index(&stage), had_focus, "after {notches:?}");
        assert_eq!(focus.is_some(), had_focus.is_some());
    }
    // After PageDown the focused row keeps its position in the DOM; the other rows move around it.
    for key in ["PageDown", "PageDown", "PageUp", "j"] {
        type_key(&focused_row(&stage), key).await;
    }
    let had_focus = focused_index(&stage);
    crate::stage::wait(500).await;
    assert!(in_page().is_sorted(), "{:?}", in_page());
    assert!(had_focus.is_some());
    assert_eq!(focused_index(&stage), had_focus);
}

#[wasm_bindgen_test]
async fn page_down_reuses_rows() {
    let _owner = owner();
    let stage = mount_plain_table(RwSignal::new(0)).await;
    visible_rows(&stage)[0].focus().unwrap();
    let take_mutations = watch_mutations(&stage.one(".grid-rows"));
    for index in [12, 24, 36, 48] {
        type_key(&focused_row(&stage), "PageDown").await;
        let written = take_mutations();
        let count = |what: &str| written.iter().filter(|one| *one == what).count();
        // Fewer rows are rendered at the top than further down.
        if index > 24 {
            // Twelve rows are new. The focused element moves along with the focus, and another
            // element takes over its row.
            assert!((12..=13).contains(&count("aria-rowindex")), "{index}: {written:?}");
            assert_eq!((count("tabindex"), count("rows")), (0, 0), "{index}: {written:?}");
        }
        assert_eq!(focused_index(&stage), Some((index + 2).to_string()));
    }
}

#[wasm_bindgen_test]
async fn cell_nodes_are_reused() {
    let _owner = owner();
    let edition = RwSignal::new(0);
    let stage = mount_plain_table(edition).await;
    edition.set(1);
    settle().await;
    let badges = stage.all(".grid-rows .badge");
    assert_eq!(badges.len(), visible_rows(&stage).len());
    edition.set(3);
    settle().await;
    assert!(stage.all(".grid-rows .badge").is_empty());
    assert!(visible_rows(&stage)[0].text_content().unwrap().ends_with("a note"));
    edition.set(4);
    settle().await;
    assert_eq!(stage.all(".grid-rows .badge"), badges);
}

#[wasm_bindgen_test]
async fn missing_text_keeps_an_empty_node() {
    let _owner = owner();
    let edition = RwSignal::new(0);
    let stage = mount_plain_table(edition).await;
    let take_mutations = watch_mutations(&stage.one(".grid-rows"));
    edition.set(2);
    settle().await;
    let written = take_mutations();
    let drawn = visible_rows(&stage).len();
    let count = |what: &str| written.iter().filter(|one| *one == what).count();
    assert_eq!((count("characterData"), count("data-missing")), (drawn, drawn), "{written:?}");
    assert_eq!(written.len(), 2 * drawn, "{written:?}");
    let last = visible_rows(&stage)[0].last_element_child().unwrap();
    assert_eq!(before_content(&last), "\"—\"");
}

/// Mounts a table of one cell. A change of `key` draws it again.
fn mount_cell<K>(key: RwSignal<K>, cell: impl Fn(K) -> Cell + 'static) -> Stage
where
    K: Copy + PartialEq + Send + Sync + 'static,
{
    Stage::styled((900, 600), move || {
        let keys = move |rows: Range<usize>| rows.map(|_| key.get()).collect();
        let columns = vec![Column::new("What", 140)];
        let row = move |_| vec![cell(key.get_untracked())];
        view! { <Table label="Rows" columns count=1 total=None keys row /> }
    })
}

#[wasm_bindgen_test]
async fn missing_code_has_no_title() {
    let _owner = owner();
    let code = RwSignal::new("DE");
    let stage = mount_cell(code, |code| match code {
        "" => Cell::Text(String::new()),
        code => Cell::Code(code.to_owned(), |code| format!("the land of {code}")),
    });
    settle().await;
    let shown = stage.one(".grid-rows abbr");
    for (now, drawn, title) in [
        ("DE", "none", Some("the land of DE")),
        ("", "\"—\"", None),
        ("FR", "none", Some("the land of FR")),
    ] {
        code.set(now);
        settle().await;
        crate::stage::dispatch_event(&shown, "mouseover");
        assert_eq!(stage.all(".grid-rows abbr"), std::slice::from_ref(&shown));
        assert_eq!(shown.text_content().as_deref(), Some(now));
        assert_eq!(before_content(&shown.parent_node().unwrap()), drawn);
        assert_eq!(attr(&shown, "title").as_deref(), title);
    }
}

#[wasm_bindgen_test]
async fn view_cell_hides_its_overflow() {
    let _owner = owner();
    let marked = RwSignal::new(false);
    let stage = mount_cell(marked, |marked| {
        if marked {
            Cell::View(view! { <mark>"a word"</mark> }.into_any())
        } else {
            Cell::Text("a word".to_owned())
        }
    });
    for now in [false, true, true, false] {
        marked.set(now);
        settle().await;
        let cell = stage.one(".grid-rows .grid-cell");
        let style = window().get_computed_style(&cell).unwrap().unwrap();
        let clips = style.get_property_value("overflow").unwrap();
        assert_eq!(clips, if now { "hidden" } else { "clip" });
        assert_eq!(cell.query_selector("mark").unwrap().is_some(), now);
    }
}

#[wasm_bindgen_test]
async fn removed_badge_text_is_cleared() {
    let _owner = owner();
    let word = RwSignal::new("unheard of");
    let stage = mount_cell(word, |word| Cell::Badge(StatusTone::Neutral, word.to_owned()));
    for shown in ["unheard of", "", "plain"] {
        word.set(shown);
        settle().await;
        assert_eq!(stage.one(".badge").text_content().as_deref(), Some(shown));
    }
}

#[wasm_bindgen_test]
async fn badge_changes_tone_in_place() {
    let _owner = owner();
    let tone = RwSignal::new(StatusTone::Positive);
    let stage = mount_cell(tone, |tone| Cell::Badge(tone, "said".to_owned()));
    settle().await;
    let badge = stage.one(".badge");
    for now in [StatusTone::Positive, StatusTone::Negative, StatusTone::Neutral, StatusTone::Mixed]
    {
        tone.set(now);
        settle().await;
        assert_eq!(stage.all(".badge"), std::slice::from_ref(&badge));
        assert_eq!(attr(&badge, "data-tone").as_deref(), Some(now.name()));
        let icon = attr(&stage.one(".badge path"), "d");
        assert_eq!(icon.as_deref(), Some(glyph_of(now).path()));
    }
}

/// Returns the computed `content` of the `::before` pseudo-element.
fn before_content(node: &Node) -> String {
    let element = node.unchecked_ref::<Element>();
    let style = window().get_computed_style_with_pseudo_elt(element, "::before").unwrap().unwrap();
    style.get_property_value("content").unwrap()
}

#[wasm_bindgen_test]
async fn unicode_texts_stay_in_their_cells() {
    let _owner = owner();
    let turn = RwSignal::new(0);
    let words = ["Zoë", "😀 fine", "", "日本語", "plain"];
    let stage = Stage::styled((900, 600), move || {
        let text = move |at: usize| words[(at + turn.get_untracked()) % words.len()].to_owned();
        let row = move |index: usize| (index..index + 3).map(|at| Cell::Text(text(at))).collect();
        let columns = vec![Column::new("A", 90), Column::new("B", 90), Column::new("C", 90)];
        view! { <Table label="Words" columns count=3 total=None keys=move |rows| rows.map(|_| turn.get()).collect() row name=|index| Some(format!("ключ-{index}")) /> }
    });
    for now in 0..3 {
        turn.set(now);
        settle().await;
        for (index, row) in visible_rows(&stage).iter().enumerate() {
            let shown = (index + now..index + now + 3).map(|at| words[at % words.len()]);
            assert_eq!(
                row.text_content(),
                Some(shown.clone().collect::<String>()),
                "{now}, {index}"
            );
            let drawn = shown.map(|word| if word.is_empty() { "\"—\"" } else { "none" });
            let cells = row.query_selector_all(".grid-cell").unwrap();
            let before = (0..cells.length()).map(|at| before_content(&cells.get(at).unwrap()));
            assert!(before.eq(drawn), "{now}, {index}: only empty texts show a dash");
            assert_eq!(attr(row, "data-key"), Some(format!("ключ-{index}")));
        }
    }
}

#[wasm_bindgen_test]
async fn full_time_appears_on_hover_or_focus() {
    let _owner = owner();
    let at = RwSignal::new(0.0);
    let stage = Stage::styled((900, 600), move || {
        let row = move |index: usize| {
            let at_ms = at.get_untracked() + [1e10, 2e10][index];
            vec![Cell::Time { at_ms, whole: index == 1 }, Cell::Text(String::new())]
        };
        let columns = vec![Column::new("When", 140), Column::new("What", 90)];
        view! { <Table label="Times" columns count=2 total=None keys=move |rows| rows.map(|_| at.get()).collect() row /> }
    });
    settle().await;
    let times = stage.all("time");
    let title = |n: usize| attr(&times[n], "title");
    assert_eq!((title(0), title(1)), (None, None));
    assert!(times[0].text_content().unwrap().contains("ago"));
    assert!(times[1].text_content().unwrap().contains("1970"));
    crate::stage::dispatch_event(&times[0], "mouseover");
    let full_time = title(0).expect("the title has the full time");
    assert!(full_time.contains("1970") && title(1).is_none(), "{full_time}");
    assert_eq!(attr(&times[0], "datetime").as_deref(), Some("1970-04-26T17:46:40.000Z"));
    visible_rows(&stage)[1].focus().unwrap();
    crate::stage::wait(200).await;
    assert!(title(1).is_some());
    // A reused row has no tooltip yet.
    at.set(1e11);
    settle().await;
    assert_eq!((title(0), title(1)), (None, None));
}

#[wasm_bindgen_test]
async fn repeated_page_down_refocuses_row_once() {
    let _owner = owner();
    let props = Props::new(5_000);
    let (stage, _) = props.mount((900, 600)).await;
    visible_rows(&stage)[0].focus().unwrap();
    let focus_count = Rc::new(StdCell::new(0));
    let count = Rc::clone(&focus_count);
    let listener = Closure::<dyn FnMut()>::new(move || count.set(count.get() + 1));
    let body = stage.one(".grid-rows");
    body.add_event_listener_with_callback("focusin", listener.as_ref().unchecked_ref()).unwrap();
    for _ in 0..5 {
        type_key(&focused_row(&stage), "PageDown").await;
    }
    let before = focus_count.get();
    crate::stage::wait(250).await;
    assert_eq!(focused_index(&stage).as_deref(), Some("62"));
    assert_eq!(focus_count.get(), before + 1, "{before} focus events before");
}

#[wasm_bindgen_test]
async fn density_change_keeps_top_row() {
    let _owner = owner();
    let props = Props::new(1_000_000);
    let (_stage, _) = props.mount((900, 600)).await;
    props.handle.restore_position(700_000.0);
    settle().await;
    let root = document().document_element().unwrap();
    root.set_attribute("data-density", "compact").unwrap();
    settle().await;
    let position = props.handle.position().get_untracked();
    root.remove_attribute("data-density").unwrap();
    assert!((position - 700_000.0).abs() < 1.0, "{position}");
}

#[wasm_bindgen_test]
async fn changed_keys_render_and_removed_rows_disappear() {
    let _owner = owner();
    let props = Props::new(10);
    let (stage, _) = props.mount((900, 600)).await;
    let texts = || {
        stage.all(".grid-rows [data-slot=title]").iter().all(|cell| {
            cell.text_content().unwrap() == format!("edition {}", props.edition.get_untracked())
        })
    };
    assert!(texts());
    props.edition.set(1);
    settle().await;
    assert!(texts());
    props.count.set(4);
    settle().await;
    assert_eq!(row_labels(&stage), ["row 0", "row 1", "row 2", "row 3"]);
    props.count.set(0);
    settle().await;
    assert!(visible_rows(&stage).is_empty());
    assert!(!press_key(&stage.one("[role=grid]"), "j"));
}

#[wasm_bindgen_test]
async fn handle_shows_focuses_and_restores_rows() {
    let _owner = owner();
    let props = Props::new(1_000_000);
    let (stage, _) = props.mount((900, 600)).await;
    props.handle.show_row(2_345);
    settle().await;
    assert!(in_view(&stage, "row 2345"));
    props.handle.focus_row(700_000);
    settle().await;
    assert!(in_view(&stage, "row 700000"));
    assert!(visible_rows(&stage).iter().any(is_focused));
    let position = props.handle.position().get_untracked();
    assert!((position - 699_988.0).abs() < 1.0, "{position}");

    drop(stage);
    props.handle.restore_position(position);
    let (stage, _) = props.mount((900, 600)).await;
    assert!(in_view(&stage, "row 700000"), "{:?}", row_labels(&stage));
}

#[wasm_bindgen_test]
async fn row_height_follows_density_and_width() {
    let _owner = owner();
    let props = Props::new(1_000);
    let (stage, events) = props.mount((900, 600)).await;
    let comfortable = events.range.get_untracked().1;
    let root = document().document_element().unwrap();
    root.set_attribute("data-density", "compact").unwrap();
    settle().await;
    assert_eq!(visible_rows(&stage)[0].offset_height(), 36);
    assert!(events.range.get_untracked().1 > comfortable);
    root.remove_attribute("data-density").unwrap();

    let (phone, _) = props.mount((320, 600)).await;
    let row = visible_rows(&phone).remove(0);
    assert_eq!(row.offset_height(), 68);
    let grid = phone.one("[role=grid]");
    assert!(grid.scroll_width() <= grid.client_width(), "a card is wider than the window");
    let cell = |slot: &str| phone.all(&format!(".grid-rows [data-slot={slot}]"))[0].clone();
    assert!(cell("aside").offset_left() > cell("title").offset_left());
    assert_eq!(cell("aside").offset_top(), cell("title").offset_top());
    assert!(cell("mark").offset_top() > cell("title").offset_top());
    assert_eq!(cell("extra").offset_width(), 0);
}

#[wasm_bindgen_test]
async fn narrow_table_drops_columns_without_scrolling() {
    let _owner = owner();
    for (width, acts) in [(620, false), (900, false), (1100, true)] {
        let (stage, _) = Props::new(20).mount((width, 400)).await;
        let grid = stage.one("[role=grid]");
        assert!(grid.scroll_width() <= grid.client_width(), "at {width}");
        assert_eq!(stage.all(".act")[0].offset_width() > 0, acts, "at {width}");
        let heads = stage.all("[role=columnheader]");
        let cells = stage.all("[aria-rowindex='2'] [role=gridcell]");
        for (head, cell) in heads.iter().zip(&cells) {
            assert_eq!(head.offset_left(), cell.offset_left(), "at {width}");
        }
    }
}
