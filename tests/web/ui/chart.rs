//! Charts: bars and columns by mouse, touch and keyboard, their readout and their table.

use dashboard::ui::badge::StatusTone;
use dashboard::ui::chart::bars::{Bar, Bars};
use dashboard::ui::chart::columns::{ChartColumn, Columns};
use dashboard::ui::chart::readout::Readout;
use dashboard::ui::chart::{ChartTable, Plot};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, PointerEvent, PointerEventInit};

use crate::stage::{Stage, attr, click, is_focused, owner, press_key, settle};

const MARKUP: &str = "<img src=x onerror=hit()> & <b>\"bold\"</b>";

fn bar(key: &str, count: u64, act: &str) -> Bar {
    let label = key.to_owned();
    let text = format!("{count} x");
    Bar { key: key.to_owned(), label, count, text, tone: None, act: act.to_owned() }
}

fn column(key: &str, parts: &[(Option<StatusTone>, u64)]) -> ChartColumn {
    let total: u64 = parts.iter().map(|(_, count)| count).sum();
    let text = format!("{key}: {total}");
    ChartColumn { key: key.to_owned(), label: key.to_owned(), text, parts: parts.to_vec() }
}

fn day_columns(days: std::ops::Range<u64>) -> Vec<ChartColumn> {
    days.map(|day| column(&format!("Mar {day}"), &[(None, day)])).collect()
}

fn table_grid() -> ChartTable {
    let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
    ChartTable {
        heads: row(["Source", "Submissions"]),
        rows: vec![row(["google", "6"]), row([MARKUP, "2"])],
    }
}

/// Mounts a bar chart. Clicked indices are added to `pressed`.
fn mount_bars(bars: RwSignal<Vec<Bar>>, pressed: RwSignal<Vec<usize>>) -> Stage {
    Stage::styled((360, 400), move || {
        let readout = Readout::default();
        let on_press = move |at| pressed.update(|all| all.push(at));
        view! {
            <Plot title=Signal::stored("Sources".to_owned()) table=Signal::stored(table_grid()) readout>
                <Bars bars on_press readout />
            </Plot>
        }
    })
}

/// Mounts a column chart. Clicked indices are added to `pressed`.
fn mount_columns(columns: RwSignal<Vec<ChartColumn>>, pressed: RwSignal<Vec<usize>>) -> Stage {
    Stage::styled((390, 400), move || {
        let readout = Readout::default();
        let on_press = move |at| pressed.update(|all| all.push(at));
        let fills = Signal::stored(vec![(StatusTone::Positive, "Positive".to_owned())]);
        view! {
            <Plot title=Signal::stored("Days".to_owned()) table=Signal::stored(table_grid()) readout>
                <Columns columns fills number=|count| format!("n{count}") on_press readout />
            </Plot>
        }
    })
}

fn dispatch_pointer_event(element: &HtmlElement, name: &str, kind: &str, x: f64) {
    let init = PointerEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_pointer_type(kind);
    #[expect(clippy::cast_possible_truncation, reason = "a screen coordinate")]
    init.set_client_x(x as i32);
    let event = PointerEvent::new_with_event_init_dict(name, &init).unwrap();
    element.dispatch_event(&event).unwrap();
}

fn center_x(element: &HtmlElement) -> f64 {
    let bounds = element.get_bounding_client_rect();
    bounds.left() + bounds.width() / 2.0
}

#[wasm_bindgen_test]
async fn plot_is_labelled_region_with_table() {
    let _owner = owner();
    let stage = mount_bars(RwSignal::new(vec![bar("google", 6, "")]), RwSignal::default());
    let region = stage.one("section");
    let title = stage.one("h2");
    assert_eq!(attr(&region, "aria-labelledby"), attr(&title, "id"));
    let toggle = stage.one(".plot-header button");
    assert_eq!(toggle.text_content().as_deref(), Some("Show table: Sources"));
    click(&toggle).await;
    assert_eq!(stage.all(".bars").len(), 0);
    assert_eq!(toggle.text_content().as_deref(), Some("Show chart: Sources"));
    let heads: Vec<_> = stage.all("thead th[scope=col]");
    assert_eq!((heads.len(), stage.all("tbody th[scope=row]").len()), (2, 2));
    assert_eq!(attr(&stage.one(".plot-table"), "tabindex").as_deref(), Some("0"), "it scrolls");
    assert!(stage.text("tbody").contains(MARKUP));
    assert_eq!(stage.all("img, b").len(), 0);
    click(&toggle).await;
    assert_eq!((stage.all(".bars").len(), stage.all("table").len()), (1, 0));
}

#[wasm_bindgen_test]
async fn bars_with_an_action_are_buttons() {
    let _owner = owner();
    let pressed = RwSignal::new(Vec::new());
    let long = "x".repeat(300);
    let all = vec![
        bar("google", 6, "Filter by google"),
        bar(MARKUP, 2, "Filter by it"),
        bar(&long, 1, ""),
        bar("none", 0, ""),
    ];
    let stage = mount_bars(RwSignal::new(all), pressed);
    assert_eq!((stage.all("ul > li").len(), stage.all("button.bar").len()), (4, 2));
    let button = stage.all("button.bar")[1].clone();
    assert_eq!(button.text_content(), Some(format!("{MARKUP}2 x")));
    assert_eq!(attr(&button, "title").as_deref(), Some("Filter by it"));
    assert_eq!(stage.all("img, b").len(), 0);
    button.click();
    assert_eq!(pressed.get_untracked(), [1]);
    let widths: Vec<_> = stage.all(".bar rect").iter().map(|it| attr(it, "width")).collect();
    let widths: Vec<_> = widths.iter().map(|it| it.as_deref().unwrap()).collect();
    assert_eq!(widths, ["10000", "3333", "1666", "0"]);
    let label = stage.all(".bar-label")[2].clone();
    assert_eq!(attr(&label, "title"), Some(long));
    let inside = stage.one(".plot").get_bounding_client_rect().right();
    assert!(label.get_bounding_client_rect().right() < inside, "a long label is truncated");
}

#[wasm_bindgen_test]
async fn bars_are_reused_when_values_change() {
    let _owner = owner();
    let all = RwSignal::new(vec![bar("a", 2, "A"), bar("b", 1, "B"), bar("c", 1, "C")]);
    let pressed = RwSignal::new(Vec::new());
    let stage = mount_bars(all, pressed);
    let before = stage.all("button.bar");
    all.set(vec![bar("b", 9, "B"), bar("a", 3, "A")]);
    settle().await;
    let after = stage.all("button.bar");
    assert_eq!(after, [before[1].clone(), before[0].clone()], "elements are reused");
    assert_eq!(after[1].text_content().as_deref(), Some("a3 x"));
    after[1].click();
    assert_eq!(pressed.get_untracked(), [1], "a click reports the current index");
    all.set(Vec::new());
    settle().await;
    assert_eq!(stage.all("li").len(), 0);
}

#[wasm_bindgen_test]
async fn columns_have_one_tab_stop() {
    let _owner = owner();
    let pressed = RwSignal::new(Vec::new());
    let stage = mount_columns(RwSignal::new(day_columns(1..6)), pressed);
    let all = stage.all(".column");
    assert_eq!(attr(&stage.one(".columns-plot"), "role").as_deref(), Some("group"));
    assert_eq!(attr(&all[4], "title").as_deref(), Some("Mar 5: 5"));
    all[0].focus().unwrap();
    for (key, at) in [
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("End", 4),
        ("ArrowRight", 4),
        ("ArrowLeft", 3),
        ("Home", 0),
    ] {
        let active = all.iter().find(|column| is_focused(column)).unwrap();
        assert!(press_key(active, key), "{key} does not scroll");
        assert!(is_focused(&all[at]), "{key} leads to {at}");
        settle().await;
        assert_eq!(stage.all(".column[tabindex='0']"), [all[at].clone()]);
    }
    assert!(
        !press_key(&all[0], "Enter") && !press_key(&all[0], " "),
        "Enter and Space are left to the browser"
    );
    all[3].click();
    assert_eq!(pressed.get_untracked(), [3]);
    assert_eq!(stage.text(".columns-axis"), "n6n3n0");
    assert_eq!(stage.text(".columns-labels"), "Mar 1Mar 3Mar 5");
}

#[wasm_bindgen_test]
async fn tab_stop_follows_its_column() {
    let _owner = owner();
    let all = RwSignal::new(day_columns(5..8));
    let stage = mount_columns(all, RwSignal::default());
    let before = stage.all(".column");
    before[1].focus().unwrap();
    all.set(day_columns(1..9));
    settle().await;
    let after = stage.all(".column");
    assert_eq!(after[5], before[1], "the element is moved, not replaced");
    assert_eq!(stage.all(".column[tabindex='0']"), [after[5].clone()]);
    press_key(&after[5], "ArrowRight");
    assert!(is_focused(&after[6]));
    all.set(day_columns(1..4));
    settle().await;
    assert_eq!(stage.all(".column[tabindex='0']"), [stage.all(".column")[2].clone()]);
    all.set(Vec::new());
    settle().await;
    assert_eq!((stage.all(".column").len(), stage.text(".columns-axis")), (0, "n2n1n0".to_owned()));
}

#[wasm_bindgen_test]
async fn stacked_columns_have_a_legend() {
    let _owner = owner();
    let parts = [(Some(StatusTone::Positive), 3), (Some(StatusTone::Negative), 1)];
    let stage = mount_columns(RwSignal::new(vec![column("Mar 1", &parts)]), RwSignal::default());
    let drawn = |name| -> Vec<_> {
        let all = stage.all(".column rect");
        all.iter().map(|it| attr(it, name).unwrap()).collect()
    };
    assert_eq!(drawn("data-tone"), ["positive", "negative"]);
    assert_eq!(
        (drawn("y"), drawn("height")),
        (vec!["2500".to_owned(), "0".to_owned()], vec!["7500".to_owned(), "2500".to_owned()])
    );
    let item = stage.one(".legend li");
    assert_eq!(item.text_content().as_deref(), Some("Positive"));
    assert_eq!(stage.all(".legend rect[data-tone=positive]").len(), 1);
    assert_eq!(stage.all(".legend .icon").len(), 1);
    let fill = |it: &HtmlElement| {
        let style = window().get_computed_style(it).unwrap().unwrap();
        style.get_property_value("fill").unwrap()
    };
    let both = [".legend rect", ".column rect"].map(|it| fill(&stage.all(it)[0]));
    assert_eq!(both[0], both[1], "the legend has the fill of the column");
    assert_ne!(both[0], fill(&stage.all(".column rect")[1]));
}

#[wasm_bindgen_test]
async fn readout_shows_focused_or_hovered_bar() {
    let _owner = owner();
    let all = RwSignal::new(vec![bar("google", 6, "Filter by google"), bar("none", 1, "")]);
    let stage = mount_bars(all, RwSignal::default());
    let readout = stage.one(".plot-readout");
    let says = |text: &str| assert_eq!(readout.text_content().as_deref(), Some(text));
    // Compared by bits: the height must not change at all.
    let height = || readout.get_bounding_client_rect().height().to_bits();
    let before = height();
    assert_eq!(
        attr(&readout, "aria-hidden").as_deref(),
        Some("true"),
        "hidden, because the bar's name has the same text"
    );
    says("");
    stage.one("button.bar").focus().unwrap();
    settle().await;
    says("google: 6 x");
    assert_eq!(height(), before, "the layout does not shift");
    all.update(|all| "7 x".clone_into(&mut all[0].text));
    settle().await;
    says("google: 7 x");
    dispatch_pointer_event(&stage.all("li")[1], "pointerenter", "mouse", 0.0);
    settle().await;
    says("none: 1 x");
    dispatch_pointer_event(&stage.all("li")[1], "pointerleave", "mouse", 0.0);
    settle().await;
    says("google: 7 x");
    stage.one("button.bar").blur().unwrap();
    dispatch_pointer_event(&stage.all("li")[1], "pointerenter", "touch", 0.0);
    dispatch_pointer_event(&stage.all("li")[1], "pointerleave", "touch", 0.0);
    settle().await;
    says("none: 1 x");
}

#[wasm_bindgen_test]
async fn second_touch_clicks_nearest_column() {
    let _owner = owner();
    let pressed = RwSignal::new(Vec::new());
    let stage = mount_columns(RwSignal::new(day_columns(1..93)), pressed);
    let all = stage.all(".column");
    let touch = |at: usize| {
        dispatch_pointer_event(&all[at], "pointerdown", "touch", center_x(&all[at]));
        all[at].click();
    };
    touch(40);
    settle().await;
    assert_eq!(pressed.get_untracked().len(), 0, "the first touch only shows the readout");
    assert_eq!(stage.text(".plot-readout"), "Mar 41: 41");
    assert!(is_focused(&all[40]));
    touch(43);
    assert_eq!(pressed.get_untracked(), [40], "a touch close to the column clicks it");
    touch(70);
    settle().await;
    assert_eq!(
        (pressed.get_untracked().len(), stage.text(".plot-readout")),
        (1, "Mar 71: 71".into())
    );
    dispatch_pointer_event(&all[70], "pointerdown", "touch", center_x(&all[70]));
    dispatch_pointer_event(&all[70], "pointermove", "touch", center_x(&all[20]));
    settle().await;
    assert_eq!(stage.text(".plot-readout"), "Mar 21: 21", "a touch drag moves the readout");
    dispatch_pointer_event(&all[5], "pointerdown", "mouse", center_x(&all[5]));
    all[5].click();
    assert_eq!(pressed.get_untracked(), [40, 5], "a mouse click needs no second click");
}

#[wasm_bindgen_test]
async fn wide_columns_are_clicked_at_first_touch() {
    let _owner = owner();
    let pressed = RwSignal::new(Vec::new());
    let stage = mount_columns(RwSignal::new(day_columns(1..6)), pressed);
    let third = stage.all(".column")[2].clone();
    dispatch_pointer_event(&third, "pointerdown", "touch", center_x(&third));
    third.click();
    assert_eq!(pressed.get_untracked(), [2]);
}

#[wasm_bindgen_test]
async fn ninety_columns_fit_a_phone() {
    let _owner = owner();
    let stage = mount_columns(RwSignal::new(day_columns(1..93)), RwSignal::default());
    let frame = stage.one(".columns-plot").get_bounding_client_rect();
    let last = stage.all(".column")[91].get_bounding_client_rect();
    assert!(last.right() <= frame.right() + 0.5, "{} of {}", last.right(), frame.right());
    let drawn = stage.all(".column svg")[91].get_bounding_client_rect().width();
    assert!(drawn > last.width() / 2.0, "{drawn} of {}", last.width());
}
