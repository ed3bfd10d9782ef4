//! What is kept of exports, so that a reload only interrupts them: their state in the browser's
//! database, with the handle of a chosen file. A browser that keeps nothing loses nothing else.

use export_worker::{DATABASE, saved::Saved};
use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemFileHandle, IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest,
    IdbTransactionMode,
};

use super::{
    scope::{scope, since_ms, sleep},
    sink,
};

const STORE: &str = "exports";
/// Most exports that are kept.
const KEPT_MAX: usize = 5;
/// How long the file of a finished export stays: the browser may still be copying it.
const FINISHED_LIVES_MS: u64 = 10 * 60 * 1000;

/// Returns the exports that were broken off, the newest first, with the handles of their files
/// where there are any, and clears up behind the others.
pub(super) async fn all() -> Vec<(Saved, JsValue)> {
    let Ok(rows) = rows().await else { return Vec::new() };
    let mut left = Vec::new();
    for row in rows.iter().rev() {
        let finished = finished(&row);
        match read(&row) {
            Some(saved) if finished.is_none() && left.len() < KEPT_MAX => {
                left.push((saved, member(&row, "handle").unwrap_or_default()));
            }
            // It may be on its way to the downloads.
            Some(_) if finished.is_some_and(|at| since_ms(at) < FINISHED_LIVES_MS) => {}
            _ => {
                if let Some(id) = member(&row, "id").and_then(|id| id.as_string()) {
                    forget(&id).await;
                }
            }
        }
    }
    let mut unused = Vec::new();
    for (saved, handle) in left {
        if !is_used(&saved.id).await {
            unused.push((saved, handle));
        }
    }
    unused
}

/// Returns an export that has not come to its end, and the handle of its file.
pub(super) async fn find(id: &str) -> Option<(Saved, Option<FileSystemFileHandle>)> {
    let row = request(|store| store.get(&id.into()), false).await.ok()?;
    if finished(&row).is_some() {
        return None;
    }
    let handle = member(&row, "handle").filter(|handle| !handle.is_falsy());
    Some((read(&row)?, handle.map(JsCast::unchecked_into)))
}

/// Keeps an export as it is.
pub(super) async fn keep(saved: &Saved, handle: Option<&FileSystemFileHandle>, finished: bool) {
    let row = Object::new();
    let text = serde_json::to_string(saved).unwrap_or_default();
    let mut set = vec![("id", JsValue::from_str(&saved.id)), ("text", JsValue::from_str(&text))];
    set.extend(handle.map(|handle| ("handle", handle.into())));
    set.extend(finished.then(|| ("finished", JsValue::from_f64(js_sys::Date::now()))));
    for (name, value) in set {
        // Fails for no plain object.
        let _ = Reflect::set(&row, &JsValue::from_str(name), &value);
    }
    // What cannot be kept is only not there after a reload.
    let _ = request(|store| store.put(&row), true).await;
}

/// Forgets an export and what was written of it.
pub(super) async fn forget(id: &str) {
    // What is not there need not be removed.
    let _ = request(|store| store.delete(&id.into()), true).await;
    for name in [file_name(id), rows_name(id)] {
        let _ = sink::remove(&name).await;
    }
}

/// Forgets an export that is whole, once the browser must have copied its file. Where the page is
/// left before, [`all`] does it.
pub(super) async fn forget_finished(id: &str) {
    sleep(FINISHED_LIVES_MS).await;
    forget(id).await;
}

/// The name of an export's file on the browser's disk.
pub(super) fn file_name(id: &str) -> String {
    format!("{id}.part")
}

/// The name of the file of an export's rows, where they are gathered first.
pub(super) fn rows_name(id: &str) -> String {
    format!("{id}.rows")
}

/// Marks an export as one that a worker has in hand, for as long as the worker lives, so that
/// another tab does not take it for one that was broken off.
pub(super) fn use_it(id: &str) {
    let Some((locks, request)) = locks("request") else { return };
    let hold = Closure::<dyn Fn(JsValue) -> Promise>::new(|_| {
        // Never resolved: the lock goes with the worker.
        Promise::new(&mut |_, _| ())
    });
    // Without locks two tabs may show one export; its file can still be opened only once.
    let _ = request.call2(&locks, &lock_name(id).into(), hold.as_ref());
    hold.forget();
}

async fn is_used(id: &str) -> bool {
    let Some((locks, query)) = locks("query") else { return false };
    let Ok(promise) = query.call0(&locks) else { return false };
    let Ok(told) = JsFuture::from(promise.unchecked_into::<Promise>()).await else { return false };
    let held = member(&told, "held").map(|held| Array::from(&held)).unwrap_or_default();
    held.iter().any(|lock| {
        member(&lock, "name").and_then(|name| name.as_string()).is_some_and(|n| n == lock_name(id))
    })
}

fn locks(method: &str) -> Option<(JsValue, js_sys::Function)> {
    let locks = member(&scope().navigator(), "locks").filter(|locks| !locks.is_falsy())?;
    let method = member(&locks, method)?.dyn_into().ok()?;
    Some((locks, method))
}

fn lock_name(id: &str) -> String {
    format!("sheaf-export-{id}")
}

fn member(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &JsValue::from_str(name)).ok()
}

/// When it came to its end, in milliseconds since 1970, if it has.
fn finished(row: &JsValue) -> Option<f64> {
    member(row, "finished")?.as_f64()
}

fn read(row: &JsValue) -> Option<Saved> {
    serde_json::from_str(&member(row, "text")?.as_string()?).ok()
}

async fn rows() -> Result<Array, JsValue> {
    let rows = request(IdbObjectStore::get_all, false).await?;
    Ok(Array::from(&rows))
}

async fn request(
    ask: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
    writes: bool,
) -> Result<JsValue, JsValue> {
    let mode = if writes { IdbTransactionMode::Readwrite } else { IdbTransactionMode::Readonly };
    let database = open().await?;
    let store = database.transaction_with_str_and_mode(STORE, mode)?.object_store(STORE)?;
    let answer = answer(&ask(&store)?).await;
    database.close();
    answer
}

async fn open() -> Result<IdbDatabase, JsValue> {
    let none = || JsValue::from_str("no database");
    let request: IdbOpenDbRequest =
        scope().indexed_db()?.ok_or_else(none)?.open_with_u32(DATABASE, 1)?;
    let opened = request.clone();
    let create = Closure::once_into_js(move || {
        if let Ok(database) = opened.result() {
            let options = web_sys::IdbObjectStoreParameters::new();
            options.set_key_path(&JsValue::from_str("id"));
            let database: IdbDatabase = database.unchecked_into();
            // Fails only where it is there already.
            let _ = database.create_object_store_with_optional_parameters(STORE, &options);
        }
    });
    request.set_onupgradeneeded(Some(create.unchecked_ref()));
    Ok(answer(&request).await?.unchecked_into())
}

async fn answer(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await?;
    request.result()
}
