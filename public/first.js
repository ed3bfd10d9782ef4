// What cannot wait for the dashboard itself. Runs before the first paint, and needs nothing.

// The kept theme and density, so that a page in the dark never flashes white. The names are those
// of `src/state/theme.rs`.
for (const [key, attribute] of [
  ["sheaf-theme", "data-theme"],
  ["sheaf-density", "data-density"],
]) {
  try {
    const value = localStorage.getItem(key);
    if (value) document.documentElement.setAttribute(attribute, value);
  } catch {
    // Storage is refused: the defaults hold.
  }
}

// The language that the dashboard will speak, found as `src/i18n/viewer.rs` finds it.
const languages = ["en", "de"];
const known = (tag) => languages.find((code) => code === tag.split("-")[0].toLowerCase());
let chosen = "";
try {
  chosen = localStorage.getItem("sheaf-language") ?? "";
} catch {
  // Nothing is kept: as the browser has it.
}
const spoken = [chosen, ...navigator.languages].map(known).find(Boolean) ?? "en";
document.documentElement.lang = spoken;

// Which shapes `index.html` shows meanwhile: those of a list, or of another page.
const list = /^\/(live|test)\/forms\/(frm_[\w-]+)(\/submissions\/[\w-]+)?$/.exec(location.pathname);
const first = list || location.pathname === "/" ? "list" : "page";
const signsIn = location.pathname === "/sign-in";
document.documentElement.setAttribute("data-first", signsIn ? "sign-in" : first);

// What the gateway sends along with the page of a list (docs/adr/0034): rows as they will look, and
// answers as blocks of data behind them. It says in which language the rows speak.
const told = document.documentElement.dataset.told;

// Whether the dashboard would draw other rows than the gateway, which knows nothing of the browser.
const differs = (form) => {
  if (spoken !== told) return true;
  const kept = (name) => localStorage.getItem(`sheaf-${name}`) ?? "";
  try {
    const opens = /^default\t/m.test(kept(`views-${form}`));
    return opens || kept("time") !== "" || kept(`columns-${form}`) !== "";
  } catch {
    return false;
  }
};

// The module is asked for at once, unless rows come with the page and the server is near: there it
// waits until they show (`xtask/src/build/finish.rs`), since to take it in needs the processors that draw
// them. Told by how long it took until here.
const NEAR_MS = 150;
const waits = told && list && performance.now() < NEAR_MS && !differs(list[2]);
const module = document.querySelector("meta[name=module]");
if (module && !waits) {
  const link = document.createElement("link");
  const href = module.content;
  document.head.append(Object.assign(link, { rel: "preload", as: "fetch", crossOrigin: "", href }));
}

// What only a browser knows of them: the viewer's way to write times and numbers, found as
// `src/i18n/locale.rs` finds it, with the units of `src/ui/calc/time.rs`.
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
    // Then the shapes stand.
    for (const one of drawn) one.remove();
  }
};
const arriving = new MutationObserver(finishAll);

// Rows that came with the page stay until the dashboard's stand where they do: no frame shows less
// than the one before, and nothing moves. Neither is waited for long.
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

// What the dashboard will ask for at once, asked while its code is on its way: who is signed in,
// and then, of those who are, forms and the first page. What came with the page is not asked for.
// `src/api/preload.rs` takes the answers.
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
    const answer = session.then(async (told) => {
      const { data } = await told.clone().json();
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
  // What nobody took by then is old.
  setTimeout(() => delete window.sheafAsked, 30_000);
};
// When a frame has shown them. The module is compiled and begins no sooner (`xtask/src/build/finish.rs`):
// both would hold that frame up. In a tab that nobody looks at no frame comes.
const frame = () =>
  new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, 100);
  });
if (told) {
  // The formats take long to make: now, while style and rows are on their way.
  finishAll();
  arriving.observe(document, { childList: true, subtree: true });
  // All of the page is there, and nothing of the dashboard has run yet.
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
