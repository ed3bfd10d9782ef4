//! A portion of an export: as many submissions as are read at once, in one buffer.
//!
//! The buffer is filled and emptied again and again, so that an export of any length costs the
//! same memory. No SQL here.

use super::Position;

/// Most last submissions still fit in so many bytes behind the room.
const SPARE_BYTES: usize = 4096;

/// Submissions as they stand on the wire, newest first.
#[derive(Debug, Default)]
pub struct Portion {
    json: String,
    ends: Vec<usize>,
    room_bytes: usize,
    next: Option<Position>,
}

impl Portion {
    /// Makes the portion be full, when it is next filled, once it holds so many bytes. At least one
    /// submission fits, however long it is.
    #[must_use]
    pub fn with_room(self, room_bytes: usize) -> Self {
        Self { room_bytes, ..self }
    }

    /// Iterates over the submissions as JSON.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let json = &self.json[begin..end];
            begin = end;
            json
        })
    }

    /// Returns the place behind which the next portion begins; `None` where there is no next one.
    /// A portion may be empty and not the last, where much was looked at and nothing was found.
    pub fn next(&self) -> Option<&Position> {
        self.next.as_ref()
    }

    /// Empties the portion and keeps its memory, for not much more than there is room.
    pub fn clear(&mut self) {
        let bytes = self.room_bytes + SPARE_BYTES;
        self.json.clear();
        self.json.shrink_to(bytes);
        self.json.reserve_exact(bytes);
        self.ends.clear();
        self.next = None;
    }

    /// Adds a submission and returns whether there is room for more.
    pub fn push(&mut self, json: &str) -> bool {
        self.json.push_str(json);
        self.ends.push(self.json.len());
        self.json.len() < self.room_bytes
    }

    /// Returns how long the submissions in it are in the mean, if there are any, in bytes.
    pub fn mean_bytes(&self) -> Option<usize> {
        self.json.len().checked_div(self.ends.len())
    }

    /// Returns how many bytes are left before the portion is full.
    pub fn left_bytes(&self) -> usize {
        self.room_bytes.saturating_sub(self.json.len())
    }

    /// Notes where the next portion begins.
    pub fn set_next(&mut self, next: Position) {
        self.next = Some(next);
    }
}
