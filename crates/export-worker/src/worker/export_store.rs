//! Stores the state of exports, so that a reload only interrupts them: in `IndexedDB`, with the
//! handle of a chosen file. If the browser stores nothing, exports work but cannot be resumed.

use export_worker::{EXPORT_DATABASE, saved_export::SavedExport};
use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemFileHandle, IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest,
    IdbTransactionMode,
};

use super::{
    sink,
    worker_scope::{since_ms, sleep, worker_scope},
};

const OBJECT_STORE: &str = "exports";
/// Maximum number of stored exports.
const STORED_MAX: usize = 5;
/// Lifetime of the file of a finished export: the browser may still be copying it.
const FINISHED_LIFETIME_MS: u64 = 10 * 60 * 1000;

/// Returns the interrupted exports that no tab is running, newest first, with the handles of chosen
/// files. Removes finished exports and those beyond the maximum.
pub(super) async fn list_interrupted() -> Vec<(SavedExport, JsValue)> {
    let Ok(rows) = stored_rows().await else { return Vec::new() };
    let mut unfinished = Vec::new();
    for row in rows.iter().rev() {
        let finished = finished_at_ms(&row);
        match parse_row(&row) {
            Some(saved) if finished.is_none() && unfinished.len() < STORED_MAX => {
                unfinished.push((saved, get_property(&row, "handle").unwrap_or_default()));
            }
            // The browser may still be copying it to the downloads.
            Some(_) if finished.is_some_and(|at| since_ms(at) < FINISHED_LIFETIME_MS) => {}
            _ => {
                if let Some(id) = get_property(&row, "id").and_then(|id| id.as_string()) {
                    remove_export(&id).await;
                }
            }
        }
    }
    let mut unused = Vec::new();
    for (saved, handle) in unfinished {
        if !is_locked(&saved.id).await {
            unused.push((saved, handle));
        }
    }
    unused
}

/// Returns an unfinished export and the handle of its file.
pub(super) async fn find_unfinished(
    id: &str,
) -> Option<(SavedExport, Option<FileSystemFileHandle>)> {
    let row = run_request(|store| store.get(&id.into()), false).await.ok()?;
    if finished_at_ms(&row).is_some() {
        return None;
    }
    let handle = get_property(&row, "handle").filter(|handle| !handle.is_falsy());
    Some((parse_row(&row)?, handle.map(JsCast::unchecked_into)))
}

/// Stores the state of an export.
pub(super) async fn store_export(
    saved: &SavedExport,
    handle: Option<&FileSystemFileHandle>,
    finished: bool,
) {
    let row = Object::new();
    let text = serde_json::to_string(saved).unwrap_or_default();
    let mut set = vec![("id", JsValue::from_str(&saved.id)), ("text", JsValue::from_str(&text))];
    set.extend(handle.map(|handle| ("handle", handle.into())));
    set.extend(finished.then(|| ("finished", JsValue::from_f64(js_sys::Date::now()))));
    for (name, value) in set {
        // Cannot fail for a plain object.
        let _ = Reflect::set(&row, &JsValue::from_str(name), &value);
    }
    // If this fails, the export cannot be resumed after a reload; nothing else is lost.
    let _ = run_request(|store| store.put(&row), true).await;
}

/// Removes an export and its files.
pub(super) async fn remove_export(id: &str) {
    // An entry or a file that does not exist need not be removed.
    let _ = run_request(|store| store.delete(&id.into()), true).await;
    for name in [file_name(id), rows_name(id)] {
        let _ = sink::remove_file(&name).await;
    }
}

/// Removes a finished export after the browser has had time to copy its file. If the page is closed
/// earlier, [`list_interrupted`] removes it later.
pub(super) async fn remove_finished(id: &str) {
    sleep(FINISHED_LIFETIME_MS).await;
    remove_export(id).await;
}

/// Returns the name of an export's file in the origin private file system.
pub(super) fn file_name(id: &str) -> String {
    format!("{id}.part")
}

/// Returns the name of the file of gathered rows.
pub(super) fn rows_name(id: &str) -> String {
    format!("{id}.rows")
}

/// Marks an export as running with a Web Lock, for as long as the worker lives. Other tabs then do
/// not treat it as interrupted.
pub(super) fn lock_export(id: &str) {
    let Some((locks, request)) = lock_manager_method("request") else { return };
    let never_release = Closure::<dyn Fn(JsValue) -> Promise>::new(|_| {
        // Never resolved: the lock is released when the worker ends.
        Promise::new(&mut |_, _| ())
    });
    // Without Web Locks two tabs may show the same export, but only one can open its file.
    let _ = request.call2(&locks, &lock_name(id).into(), never_release.as_ref());
    never_release.forget();
}

async fn is_locked(id: &str) -> bool {
    let Some((locks, query)) = lock_manager_method("query") else { return false };
    let Ok(promise) = query.call0(&locks) else { return false };
    let Ok(snapshot) = JsFuture::from(promise.unchecked_into::<Promise>()).await else {
        return false;
    };
    let lock_infos =
        get_property(&snapshot, "held").map(|granted| Array::from(&granted)).unwrap_or_default();
    lock_infos.iter().any(|lock| {
        get_property(&lock, "name")
            .and_then(|name| name.as_string())
            .is_some_and(|n| n == lock_name(id))
    })
}

fn lock_manager_method(method: &str) -> Option<(JsValue, js_sys::Function)> {
    let locks =
        get_property(&worker_scope().navigator(), "locks").filter(|locks| !locks.is_falsy())?;
    let method = get_property(&locks, method)?.dyn_into().ok()?;
    Some((locks, method))
}

fn lock_name(id: &str) -> String {
    format!("sheaf-export-{id}")
}

fn get_property(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &JsValue::from_str(name)).ok()
}

/// Returns when the export finished, in milliseconds since 1970; `None` if it has not.
fn finished_at_ms(row: &JsValue) -> Option<f64> {
    get_property(row, "finished")?.as_f64()
}

fn parse_row(row: &JsValue) -> Option<SavedExport> {
    serde_json::from_str(&get_property(row, "text")?.as_string()?).ok()
}

async fn stored_rows() -> Result<Array, JsValue> {
    let rows = run_request(IdbObjectStore::get_all, false).await?;
    Ok(Array::from(&rows))
}

async fn run_request(
    ask: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
    writes: bool,
) -> Result<JsValue, JsValue> {
    let mode = if writes { IdbTransactionMode::Readwrite } else { IdbTransactionMode::Readonly };
    let database = open_database().await?;
    let store =
        database.transaction_with_str_and_mode(OBJECT_STORE, mode)?.object_store(OBJECT_STORE)?;
    let answer = await_request(&ask(&store)?).await;
    database.close();
    answer
}

async fn open_database() -> Result<IdbDatabase, JsValue> {
    let unavailable = || JsValue::from_str("IndexedDB is not available");
    let request: IdbOpenDbRequest =
        worker_scope().indexed_db()?.ok_or_else(unavailable)?.open_with_u32(EXPORT_DATABASE, 1)?;
    let opened = request.clone();
    let create = Closure::once_into_js(move || {
        if let Ok(database) = opened.result() {
            let options = web_sys::IdbObjectStoreParameters::new();
            options.set_key_path(&JsValue::from_str("id"));
            let database: IdbDatabase = database.unchecked_into();
            // Fails only if the store exists already.
            let _ = database.create_object_store_with_optional_parameters(OBJECT_STORE, &options);
        }
    });
    request.set_onupgradeneeded(Some(create.unchecked_ref()));
    Ok(await_request(&request).await?.unchecked_into())
}

async fn await_request(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await?;
    request.result()
}
