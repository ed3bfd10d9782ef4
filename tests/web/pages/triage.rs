//! Triage on the list page: marks of the rows, the group of the card, notes, and the keyboard.

mod card;
mod keys;
mod live;
mod mentions;
mod notes;
mod rows;
pub(super) mod server;

use serde_json::Value;

use super::{open_dashboard, wait_until};
use crate::network::Network;
use crate::stage::{Stage, settle};

const LIST: &str = "/live/forms/frm_1";

/// Opens a submission, and waits for its notes.
async fn open_card(number: u32) -> Stage {
    let stage = open_dashboard(&format!("{LIST}/submissions/sub_{number}"));
    wait_until("the notes", || !stage.all(".triage-history").is_empty()).await;
    settle().await;
    stage
}

/// Returns the changes that were sent, without those of only the read state.
fn changes(network: &Network) -> Vec<Value> {
    let sent = network.sent("PATCH", "/account/forms/frm_1/submissions").into_iter();
    let changes =
        sent.map(|asked| serde_json::from_str::<Value>(&asked.body).unwrap()["set"].clone());
    changes.filter(|set| set.as_object().unwrap().keys().ne(["read"])).collect()
}
