//! Icons of the submission list and of the page around it, as data of SVG paths (`d`) in a 20 by 20
//! view box. They are stroked, not filled. The server renders them into the first rows, and the
//! dashboard uses them and others.

/// Builds a face from the path of its mouth. Head and eyes are the same for all faces.
macro_rules! face {
    ($mouth:literal) => {
        concat!("M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM7.5 8h.01M12.5 8h.01", $mouth)
    };
}

/// Smiling face.
pub const SMILE: &str = face!("M7 11.8c1.6 2 4.4 2 6 0");
/// Face with a wavy mouth.
pub const MIXED: &str = face!("M6.8 12.6c1.1-1.3 2.1-1.3 3.2 0s2.1 1.3 3.2 0");
/// Frowning face.
pub const FROWN: &str = face!("M7 13.2c1.6-1.8 4.4-1.8 6 0");
/// Neutral face.
pub const MEH: &str = face!("M7 12.5h6");
/// Letter i in a circle.
pub const INFO: &str = "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 9.5V13M10 6.8h.01";

/// Account.
pub const ACCOUNT: &str = "M10 3.5a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4z\
                 M4 16.5c.6-2.6 3-4 6-4s5.4 1.4 6 4";
/// Board.
pub const BOARD: &str = "M3.5 4h3.5v12H3.5zM8.3 4h3.5v8.5H8.3zM13 4h3.5v5H13z";
/// Bookmark.
pub const BOOKMARK: &str = "M5.5 3.5h9v13L10 13l-4.5 3.5z";
/// Calendar.
pub const CALENDAR: &str = "M3.5 5.5h13v11h-13zM3.5 9h13M7 3v4M13 3v4";
/// Chart.
pub const CHART: &str = "M4 16.5h12M6 13.5V9M10 13.5V4.5M14 13.5V7";
/// Clock.
pub const CLOCK: &str = "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 6.5V10l2.5 2";
/// Download.
pub const DOWNLOAD: &str = "M10 3v9M6 8.5l4 4 4-4M3.5 16.5h13";
/// Filter.
pub const FILTER: &str = "M3.5 5.5h13M6 10h8M8.5 14.5h3";
/// Flask.
pub const FLASK: &str = "M8 3v5l-4.2 7.2a1.2 1.2 0 0 0 1 1.8h10.4a1.2 1.2 0 0 0 1-1.8L12 8V3\
                 M6.5 3h7M6 12.5h8";
/// Form.
pub const FORM: &str = "M4 3.5h12v13H4zM7 7.5h6M7 10.5h6M7 13.5h3";
/// Inbox: the list of all submissions.
pub const INBOX: &str = "M3.5 11.5l2.5-7h8l2.5 7v5h-13zM3.5 11.5h4l1 2h3l1-2h4";
/// Key.
pub const KEY: &str = "M6.5 9a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM9 10l7-6.5M13 6.3l2.2 2.4";
/// Keyboard.
pub const KEYBOARD: &str = "M2.5 5.5h15v9h-15zM5.5 8.5h.01m3 0h.01m3 0h.01m3 0h.01M7 11.5h6";
/// Menu.
pub const MENU: &str = "M3.5 5.5h13M3.5 10h13M3.5 14.5h13";
/// Monitor.
pub const MONITOR: &str = "M3 4h14v9H3zM10 13v3.5M6.5 16.5h7";
/// Search.
pub const SEARCH: &str = "M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM13 13l3.5 3.5";
/// Settings.
pub const SETTINGS: &str = "M3.5 6h7M14.5 6h2M3.5 14h2M9.5 14h7\
                 M12.5 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM7.5 12a2 2 0 1 1 0 4 2 2 0 0 1 0-4z";
/// Trash.
pub const TRASH: &str = "M3.5 5.5h13M8 5.5v-2h4v2M5.5 5.5l.7 11h7.6l.7-11M8.5 8.5v5M11.5 8.5v5";
