// Work that cannot wait for the dashboard. Runs before the first paint and has no dependencies.

// Applies the stored theme and density, so that a dark page never flashes white. The names are the
// same as in `src/state/theme.rs`.
for (const [key, attribute] of [
  ["sheaf-theme", "data-theme"],
  ["sheaf-density", "data-density"],
]) {
  try {
    const value = localStorage.getItem(key);
    if (value) document.documentElement.setAttribute(attribute, value);
  } catch {
    // Storage is blocked: the defaults apply.
  }
}

// The language of the dashboard, determined in the same way as in `src/i18n/viewer.rs`.
const languages = ["en", "de"];
const supported = (tag) => languages.find((code) => code === tag.split("-")[0].toLowerCase());
let storedLanguage = "";
try {
  storedLanguage = localStorage.getItem("sheaf-language") ?? "";
} catch {
  // Storage is blocked: the browser's languages apply.
}
const language = [storedLanguage, ...navigator.languages].map(supported).find(Boolean) ?? "en";
document.documentElement.lang = language;

// Which shapes `index.html` shows as a skeleton: a list, the sign-in, or another page.
const list = /^\/(live|test)\/forms\/(frm_[\w-]+)(\/submissions\/[\w-]+)?$/.exec(location.pathname);
const isInbox = /^\/(live|test)\/inbox(\/|$)/.test(location.pathname);
const skeleton = list || isInbox || location.pathname === "/" ? "list" : "page";
const isSignIn = location.pathname === "/sign-in";
document.documentElement.setAttribute("data-first", isSignIn ? "sign-in" : skeleton);

// For a list, the gateway embeds rendered rows in the page, followed by responses as data blocks
// (ADR 0034). This attribute is the language of the rows.
const rowsLang = document.documentElement.dataset.lang;

// Returns whether the dashboard would render other rows than the gateway, which does not know the
// settings in the browser.
const rendersOtherRows = (form) => {
  if (language !== rowsLang) return true;
  const stored = (name) => localStorage.getItem(`sheaf-${name}`) ?? "";
  try {
    const hasDefaultView = /^default\t/m.test(stored(`views-${form}`));
    return hasDefaultView || stored("time") !== "" || stored(`columns-${form}`) !== "";
  } catch {
    return false;
  }
};

// Fetches the module immediately, unless the page contains rows and the latency is low. In this
// case the module waits until the rows are visible (`xtask/src/build/postprocess.rs`), because its
// compilation uses the processor time that painting needs. The time until here is the estimate of
// the latency.
const LOW_LATENCY_MS = 150;
const isFast = performance.now() < LOW_LATENCY_MS;
const isDelayed = rowsLang && list && isFast && !rendersOtherRows(list[2]);
const module = document.querySelector("meta[name=module]");
if (module && !isDelayed) {
  const link = document.createElement("link");
  const href = module.content;
  document.head.append(Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "", href }));
}

// Adds the values that only the browser knows: times and numbers in the viewer's format. The format
// is determined as in `src/i18n/locale.rs`, the units as in `src/ui/calc/time.rs`.
const units = [
  [31557600, "year"],
  [2629800, "month"],
  [604800, "week"],
  [86400, "day"],
  [3600, "hour"],
  [60, "minute"],
];
const textLocale = navigator.languages.find((tag) => supported(tag) === language) ?? language;
const [browserLocale] = navigator.languages;
const isOtherLanguage =
  supported(storedLanguage) === language && supported(browserLocale ?? "") !== language;
const numberLocale = isOtherLanguage ? textLocale : browserLocale;
let formats;
const formatTime = (seconds) => {
  const unit = units.find(([length]) => Math.abs(seconds) >= length);
  const [length, name] = unit ?? [Infinity, "second"];
  return formats.time.format(Math.trunc(seconds / length), name);
};
const fillElement = (element) => {
  const { css, at, number } = element.dataset;
  if (css) element.style.cssText = css;
  else if (at) element.textContent = formatTime((at - Date.now()) / 1000);
  else element.textContent = formats.number.format(number);
  for (const name of ["css", "at", "number"]) delete element.dataset[name];
};
const fillAll = () => {
  const drawn = [...document.querySelectorAll("[data-drawn]")];
  try {
    if (drawn.length > 0 && rendersOtherRows(drawn[0].dataset.drawn)) throw drawn;
    formats ??= {
      time: new Intl.RelativeTimeFormat(textLocale, { numeric: "auto", style: "short" }),
      number: new Intl.NumberFormat(numberLocale),
    };
    document.querySelectorAll("[data-css], [data-at], [data-number]").forEach(fillElement);
  } catch {
    // The skeleton replaces the rows.
    for (const element of drawn) element.remove();
  }
};
const parserObserver = new MutationObserver(fillAll);

// The embedded rows stay until the dashboard's rows have the same position. No frame then shows
// fewer rows than the frame before, and no row moves. Both waits are limited: that for the
// dashboard's rows by `deadline`, that for their position by `frames`.
const firstRowPosition = (parent) => {
  const box = document.querySelector(`${parent} [data-key]`)?.getBoundingClientRect();
  return box && [box.x, box.y, box.width].join();
};
const removeWhenReplaced = (embedded, deadline, frames) => {
  const position = firstRowPosition("#content");
  const isPending = !position && !document.querySelector(".empty, .gate");
  const isMoving = frames > 0 && position && position !== firstRowPosition(".first");
  const framesLeft = isPending ? frames : frames - 1;
  if (isPending ? performance.now() < deadline : isMoving) {
    requestAnimationFrame(() => removeWhenReplaced(embedded, deadline, framesLeft));
  } else {
    embedded.remove();
  }
};

// Sends the first requests of the dashboard while its code loads: the session, and for signed-in
// users the forms and the first page. It skips requests with an embedded response.
// `src/api/preload.rs` takes the responses.
const preloadAll = () => {
  const blocks = [...document.querySelectorAll("script[data-url]")];
  const load = (url) => {
    const block = blocks.find((block) => block.dataset.url === url);
    if (!block) {
      const headers = { "x-sheaf-csrf": "1" };
      return fetch(new Request(url, { headers, redirect: "manual" }));
    }
    block.remove();
    const headers = JSON.parse(block.dataset.headers);
    return Promise.resolve(new Response(block.text, { headers }));
  };
  const responses = {};
  for (const { dataset } of blocks) responses[dataset.url] = load(dataset.url);
  const session = load("/session");
  const loadAfterSession = (url, isNeeded) => {
    const response = session.then(async (response) => {
      const { data } = await response.clone().json();
      return isNeeded(data) ? load(url) : undefined;
    });
    responses[url] ??= response.catch(() => undefined);
  };
  if (list) {
    const rows = `/api/${list[1]}/v1/forms/${list[2]}/submissions`;
    const query = location.search ? `${location.search}&limit=100` : "?limit=100";
    loadAfterSession(rows + query, (data) => data);
  }
  loadAfterSession("/account/forms", (data) => data?.managed);
  responses["/session"] = session.catch(() => undefined);
  window.sheafResponses = responses;
  // A response that is unused by then is out of date.
  setTimeout(() => delete window.sheafResponses, 30_000);
};

// Resolves when a frame has shown the rows. The module is compiled and started only then
// (`xtask/src/build/postprocess.rs`), because both would delay that frame. The timer serves tabs in
// the background, which have no frames.
const nextFrame = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
    setTimeout(resolve, 100);
  });
if (rowsLang) {
  // Formats are slow to create, so create them now, while styles and rows load.
  fillAll();
  parserObserver.observe(document, { childList: true, subtree: true });
  // The page is complete, and no code of the dashboard has run yet.
  const onParsed = () => {
    parserObserver.disconnect();
    fillAll();
    preloadAll();
    const embedded = document.querySelector(".first:has([data-drawn])");
    if (embedded) {
      embedded.dataset.rows = "";
      window.sheafRowsPainted = nextFrame();
      removeWhenReplaced(embedded, performance.now() + 30_000, 20);
    }
  };
  document.addEventListener("readystatechange", onParsed, { once: true });
} else if (!isSignIn) {
  preloadAll();
}
