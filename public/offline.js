// Lets the dashboard start without the network, and shows there what was read before: a service
// worker. Its own files are always kept; answers only for an account that asked for it, and never
// exports, sign-ins or what is written. docs/adr/0032 says why it is as it is.

const FILES = "sheaf-files-1";
// The account stands behind; that there is such a cache means that its owner wants it.
const READ = "sheaf-read-1-";
const ENTRIES_MAX = 100;
const BYTES_MAX = 8 * 1024 * 1024;
const ENTRY_BYTES_MAX = 1024 * 1024;
const AGE_MAX_MS = 7 * 24 * 3600 * 1000;
// When an answer was kept, and how long it is: told to the page and to ourselves.
const KEPT = "x-sheaf-kept";
const BYTES = "x-sheaf-bytes";
// The page may come with somebody's rows in it (docs/adr/0034): then this is the tag of the one
// without, and only that is kept.
const PLAIN = "x-sheaf-plain";

const HASHED = /^\/[\w-]+-[0-9a-f]{8,16}\.[a-z]+$/;
const LIST = /^\/api\/(live|test)\/v1\/forms\/frm_[\w-]+\/submissions$/;
const CARD = /^\/api\/(?:live|test)\/v1\/submissions\/(sub_[\w-]+)$/;
const PAGE_LIMIT = "100";

// Whose answers are kept, as the name of their cache. What was asked for before an epoch ended is
// not kept in the next.
let keeping = caches.keys().then((names) => names.find((name) => name.startsWith(READ)));
let epoch = 0;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(fetch("/", { cache: "no-cache" }).then(renew));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(begin());
});

self.addEventListener("message", (event) => {
  event.waitUntil(event.data ? keep(String(event.data)) : forget());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== location.origin) return;
  if (event.request.method !== "GET") {
    if (/^\/(session$|api\/|account\/)/.test(url.pathname)) event.respondWith(write(event, url));
  } else if (event.request.mode === "navigate") {
    event.respondWith(page(event));
  } else if (HASHED.test(url.pathname)) {
    event.respondWith(file(event));
  } else if (isRead(url)) {
    event.respondWith(read(event, url));
  }
});

function isRead(url) {
  const list = LIST.test(url.pathname) && url.searchParams.get("limit") === PAGE_LIMIT;
  return list || CARD.test(url.pathname) || ["/session", "/account/forms"].includes(url.pathname);
}

async function begin() {
  for (const name of await caches.keys()) {
    if (name !== FILES && !name.startsWith(READ)) await caches.delete(name);
  }
  await self.clients.claim();
}

// The one page, of whatever path: the server's, and the kept one where there is no server.
async function page(event) {
  const began = epoch;
  try {
    const answer = await fetch(event.request);
    const tag = answer.headers.get(PLAIN);
    event.waitUntil(tag ? renewPlain(tag) : renew(answer.clone()));
    if (tag) event.waitUntil(takeAll(answer.clone(), began));
    return answer;
  } catch (gone) {
    const kept = await caches.match("/", { cacheName: FILES, ignoreVary: true });
    if (!kept) throw gone;
    return kept;
  }
}

async function renewPlain(tag) {
  const files = await caches.open(FILES);
  const known = await files.match("/", { ignoreVary: true });
  if (known?.headers.get("etag") !== tag) await renew(await fetch("/", { cache: "no-cache" }));
}

// Keeps a new page once all of its files are there, and lets those of the old one go.
async function renew(answer) {
  if (!answer.ok || !answer.headers.get("content-type")?.startsWith("text/html")) return;
  if (answer.headers.has(PLAIN)) return;
  const files = await caches.open(FILES);
  const known = await files.match("/", { ignoreVary: true });
  const tag = answer.headers.get("etag");
  if (known && tag && known.headers.get("etag") === tag) return;
  const wanted = named(await answer.clone().text());
  await Promise.all(wanted.map((path) => hold(files, path)));
  await files.put("/", answer);
  const all = new Set(["/", ...wanted, ...(await parts(files, wanted))]);
  for (const request of await files.keys()) {
    if (!all.has(new URL(request.url).pathname)) await files.delete(request);
  }
  if (await keeping) await holdParts();
}

// The files that a text names, but for the worker of exports, which needs the network anyway.
function named(text) {
  const names = text.match(/[\w-]+-[0-9a-f]{8,16}\.[a-z]+/g) ?? [];
  return [...new Set(names)].filter((name) => !name.startsWith("exporter")).map((one) => `/${one}`);
}

// The files that the dashboard's script fetches when they are wanted.
async function parts(files, wanted) {
  const paths = [];
  for (const path of wanted.filter((one) => one.endsWith(".js"))) {
    const script = await files.match(path, { ignoreVary: true });
    if (script) paths.push(...named(await script.text()));
  }
  return paths;
}

async function holdParts() {
  const files = await caches.open(FILES);
  const held = (await files.keys()).map((request) => new URL(request.url).pathname);
  for (const path of await parts(files, held)) await hold(files, path);
}

async function hold(files, path) {
  if (await files.match(path, { ignoreVary: true })) return;
  const answer = await fetch(path);
  if (answer.ok) await files.put(path, answer);
}

// A name that says its content never changes it: the kept file is the right one.
async function file(event) {
  const files = await caches.open(FILES);
  const kept = await files.match(event.request.url, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(event.request);
  if (answer.ok) event.waitUntil(files.put(event.request.url, answer.clone()));
  return answer;
}

// The server's answer; where there is no server, the one that was kept.
async function read(event, url) {
  const began = epoch;
  try {
    const answer = await fetch(event.request);
    event.waitUntil(take(url, answer.clone(), began, event.clientId));
    return answer;
  } catch (gone) {
    const kept = gone.name === "AbortError" ? undefined : await recall(url);
    if (!kept) throw gone;
    return kept;
  }
}

// The answers that came with a page, as if each had been asked for: no `<` is in any of them.
async function takeAll(answer, began) {
  const block = /<script type="application\/json" data-url="([^"]+)"[^>]*>([^<]*)<\/script>/g;
  for (const [, path, json] of (await answer.text()).matchAll(block)) {
    const headers = { "content-type": "application/json" };
    await take(new URL(path, location.origin), new Response(json, { headers }), began);
  }
}

async function take(url, answer, began, asker) {
  if (answer.status === 401) return forget();
  if (answer.ok && url.pathname === "/session") {
    const { data } = await answer.clone().json();
    await only(data?.account?.id);
  }
  const card = CARD.exec(url.pathname)?.[1];
  if (card && answer.status === 404) return remove(card);
  const name = await keeping;
  // The worker of exports reads lists, too: a file that was written is kept where it was put.
  const isPage = asker === undefined || (await self.clients.get(asker))?.type === "window";
  if (!name || !answer.ok || !isPage) return;
  const body = await answer.arrayBuffer();
  if (body.byteLength > ENTRY_BYTES_MAX || began !== epoch) return;
  const headers = {
    "content-type": answer.headers.get("content-type") ?? "",
    [KEPT]: String(Date.now()),
    [BYTES]: String(body.byteLength),
  };
  const cache = await caches.open(name);
  await cache.put(url.href, new Response(body, { headers }));
  if (began !== epoch) await cache.delete(url.href);
  if ((await keeping) === name) await bound(cache);
  else await caches.delete(name);
}

async function recall(url) {
  const name = await keeping;
  if (!name || !(await caches.has(name))) return undefined;
  const cache = await caches.open(name);
  const kept = await cache.match(url.href);
  const card = CARD.exec(url.pathname)?.[1];
  if (kept || !card) return kept && isFresh(kept) ? kept : undefined;
  // A card is mostly read out of its list.
  for (const request of await cache.keys()) {
    const one = LIST.test(new URL(request.url).pathname) && (await cache.match(request));
    if (!one || !isFresh(one)) continue;
    const found = (await one.clone().json()).data?.find((row) => row.id === card);
    if (found) return new Response(JSON.stringify({ data: found }), { headers: one.headers });
  }
  return undefined;
}

const keptAt = (answer) => Number(answer.headers.get(KEPT));
const isFresh = (answer) => Date.now() - keptAt(answer) < AGE_MAX_MS;

// Lets the oldest go, down to what may be kept.
async function bound(cache) {
  const all = [];
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    if (answer) all.push({ request, answer });
  }
  all.sort((a, b) => keptAt(b.answer) - keptAt(a.answer));
  let bytes = 0;
  for (const [at, { request, answer }] of all.entries()) {
    bytes += Number(answer.headers.get(BYTES));
    if (at >= ENTRIES_MAX || bytes > BYTES_MAX || !isFresh(answer)) await cache.delete(request);
  }
}

// What is written goes to the server alone; what it makes untrue is let go.
async function write(event, url) {
  const answer = await fetch(event.request);
  const { method } = event.request;
  const leaves = url.pathname === "/session" && method === "DELETE" && answer.ok;
  if (leaves) event.waitUntil(forgetExports());
  if (answer.status === 401 || leaves) {
    await forget();
  } else if (url.pathname === "/session" && answer.ok) {
    const { data } = await answer.clone().json();
    await only(data?.account?.id);
  }
  const card = CARD.exec(url.pathname)?.[1];
  if (card && method === "DELETE" && (answer.ok || answer.status === 404)) {
    event.waitUntil(remove(card));
  } else if (url.pathname.startsWith("/account/") && answer.ok) {
    event.waitUntil(removeAll((path) => method === "DELETE" || path.startsWith("/account/")));
  }
  return answer;
}

// Submissions that are gone go from here, too: each answer that holds one. Those that come
// meanwhile go together.
let gone = new Set();
let removing;

function remove(id) {
  epoch += 1;
  gone.add(`"${id}"`);
  removing ??= (async () => {
    try {
      while (gone.size > 0) {
        const ids = [...gone];
        gone = new Set();
        await removeAll((_, text) => ids.some((one) => text.includes(one)));
      }
    } finally {
      removing = undefined;
    }
  })();
  return removing;
}

async function removeAll(isUntrue) {
  epoch += 1;
  const name = await keeping;
  if (!name || !(await caches.has(name))) return;
  const cache = await caches.open(name);
  for (const request of await cache.keys()) {
    const text = await (await cache.match(request))?.text();
    const { pathname } = new URL(request.url);
    if (CARD.exec(pathname) && isUntrue(pathname, `"${CARD.exec(pathname)[1]}"`)) {
      await cache.delete(request);
    } else if (text === undefined || isUntrue(pathname, text)) {
      await cache.delete(request);
    }
  }
}

// Keeps what this account reads from now on, and nothing of any other.
async function keep(account) {
  await only(account);
  keeping = Promise.resolve(READ + account);
  await bound(await caches.open(READ + account));
  await holdParts();
}

async function only(account) {
  const name = await keeping;
  if (name && name !== READ + account) await forget();
}

async function forget() {
  epoch += 1;
  keeping = Promise.resolve(undefined);
  for (const name of await caches.keys()) {
    if (name.startsWith(READ)) await caches.delete(name);
  }
}

// What exports have written in this browser so far, and the notes of it, go with whoever wrote it.
// A file is held by its worker, which ends with the page that is on view until then.
async function forgetExports() {
  for (let wait = 250; wait <= 4000; wait *= 2) {
    try {
      const disk = await navigator.storage.getDirectory();
      await disk.removeEntry("exports", { recursive: true });
      break;
    } catch (error) {
      // Else none was written, or the browser lends no disk.
      if (error.name !== "NoModificationAllowedError") break;
      await new Promise((goOn) => setTimeout(goOn, wait));
    }
  }
  indexedDB.deleteDatabase("sheaf-exports");
}
