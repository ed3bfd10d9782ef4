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
const known = (tag) => languages.find((code) => code === tag.split("-")[0].toLowerCase());
let chosen = "";
try {
  chosen = localStorage.getItem("sheaf-language") ?? "";
} catch {
  // Storage is blocked: the browser's languages apply.
}
const spoken = [chosen, ...navigator.languages].map(known).find(Boolean) ?? "en";
document.documentElement.lang = spoken;

// Which shapes `index.html` shows as a skeleton: a list, or another page.
const list = /^\/(live|test)\/forms\/(frm_[\w-]+)(\/submissions\/[\w-]+)?$/.exec(location.pathname);
const first = list || location.pathname === "/" ? "list" : "page";
const signsIn = location.pathname === "/sign-in";
document.documentElement.setAttribute("data-first", signsIn ? "sign-in" : first);

// For a list, the gateway embeds rendered rows in the page, followed by responses as data blocks
// (ADR 0034). This attribute is the language of the rows.
const rowsLang = document.documentElement.dataset.lang;

// Returns whether the dashboard would render other rows than the gateway, which does not know the
// settings in the browser.
const differs = (form) => {
  if (spoken !== rowsLang) return true;
  const kept = (name) => localStorage.getItem(`sheaf-${name}`) ?? "";
  try {
    const opens = /^default\t/m.test(kept(`views-${form}`));
    return opens || kept("time") !== "" || kept(`columns-${form}`) !== "";
  } catch {
    return false;
  }
};

// Fetches the module immediately, unless the page contains rows and the server is near. In this
// case the module waits until the rows are visible (`xtask/src/build/postprocess.rs`), because its
// compilation uses the processor time that painting needs. The time until here shows the distance.
const NEAR_MS = 150;
const waits = rowsLang && list && performance.now() < NEAR_MS && !differs(list[2]);
const module = document.querySelector("meta[name=module]");
if (module && !waits) {
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
const words = navigator.languages.find((tag) => known(tag) === spoken) ?? spoken;
const [theirs] = navigator.languages;
const numbers = known(chosen) === spoken && known(theirs ?? "") !== spoken ? words : theirs;
let formats;
const written = (far) => {
  const [length, unit] = units.find(([length]) => Math.abs(far) >= length) ?? [Infinity, "second"];
  return formats[0].format(Math.trunc(far / length), unit);
};
const finish = (one) => {
  const { css, at, number } = one.dataset;
  if (css) one.style.cssText = css;
  else one.textContent = at ? written((at - Date.now()) / 1000) : formats[1].format(number);
  for (const name of ["css", "at", "number"]) delete one.dataset[name];
};
const finishAll = () => {
  const drawn = [...document.querySelectorAll("[data-drawn]")];
  try {
    if (drawn.length > 0 && differs(drawn[0].dataset.drawn)) throw drawn;
    formats ??= [
      new Intl.RelativeTimeFormat(words, { numeric: "auto", style: "short" }),
      new Intl.NumberFormat(numbers),
    ];
    document.querySelectorAll("[data-css], [data-at], [data-number]").forEach(finish);
  } catch {
    // The skeleton replaces the rows.
    for (const one of drawn) one.remove();
  }
};
const arriving = new MutationObserver(finishAll);

// The embedded rows stay until the dashboard's rows have the same position. No frame then shows
// fewer rows than the frame before, and no row moves. Both waits are limited.
const place = (within) => {
  const box = document.querySelector(`${within} [data-key]`)?.getBoundingClientRect();
  return box && [box.x, box.y, box.width].join();
};
const leave = (first, until, frames) => {
  const stands = place("#content");
  const isNone = !stands && !document.querySelector(".empty, .gate");
  const moves = frames > 0 && stands && stands !== place(".first");
  if (isNone ? performance.now() < until : moves) requestAnimationFrame(() => leave(first, until, isNone ? frames : frames - 1));
  else first.remove();
};

// Sends the first requests of the dashboard while its code loads: the session, and for signed-in
// users the forms and the first page. It skips requests with an embedded response.
// `src/api/preload.rs` takes the responses.
const askAll = () => {
  const blocks = [...document.querySelectorAll("script[data-url]")];
  const ask = (url) => {
    const block = blocks.find((one) => one.dataset.url === url);
    if (!block) return fetch(new Request(url, { headers: { "x-sheaf-csrf": "1" }, redirect: "manual" }));
    block.remove();
    return Promise.resolve(new Response(block.text, { headers: JSON.parse(block.dataset.terms) }));
  };
  const asked = {};
  for (const { dataset } of blocks) asked[dataset.url] = ask(dataset.url);
  const session = ask("/session");
  const then = (url, wanted) => {
    const answer = session.then(async (response) => {
      const { data } = await response.clone().json();
      return wanted(data) ? ask(url) : undefined;
    });
    asked[url] ??= answer.catch(() => undefined);
  };
  if (list) {
    const rows = `/api/${list[1]}/v1/forms/${list[2]}/submissions`;
    const query = location.search ? `${location.search}&limit=100` : "?limit=100";
    then(rows + query, (data) => data);
  }
  then("/account/forms", (data) => data?.managed);
  asked["/session"] = session.catch(() => undefined);
  window.sheafAsked = asked;
  // A response that is unused by then is out of date.
  setTimeout(() => delete window.sheafAsked, 30_000);
};
// Resolves when a frame has shown the rows. The module is compiled and started only then
// (`xtask/src/build/postprocess.rs`), because both would delay that frame. The timer serves tabs in
// the background, which have no frames.
const frame = () =>
  new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, 100);
  });
if (rowsLang) {
  // Formats are slow to create, so create them now, while styles and rows load.
  finishAll();
  arriving.observe(document, { childList: true, subtree: true });
  // The page is complete, and no code of the dashboard has run yet.
  const whole = () => {
    arriving.disconnect();
    finishAll();
    askAll();
    const first = document.querySelector(".first:has([data-drawn])");
    if (first) {
      first.dataset.rows = "";
      window.sheafShown = frame();
      leave(first, performance.now() + 30_000, 20);
    }
  };
  document.addEventListener("readystatechange", whole, { once: true });
} else if (!signsIn) {
  askAll();
}
