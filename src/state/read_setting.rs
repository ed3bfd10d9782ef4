//! Whether a submission is marked as read when it is opened. Stored in the browser.

use crate::ui::storage::{read_storage, write_storage};

/// Storage key.
const KEY: &str = "sheaf-mark-read";

/// Returns whether submissions are marked as read when they are opened.
pub fn marks_read_when_opened() -> bool {
    read_storage(KEY) != "off"
}

/// Sets and stores whether submissions are marked as read when they are opened.
pub fn set_marks_read_when_opened(is_on: bool) {
    write_storage(KEY, if is_on { "" } else { "off" });
}
