// What cannot wait for the dashboard itself. Runs before the first paint, and needs nothing.

// The kept theme and density, so that a page in the dark never flashes white. The names are those
// of `src/stores/theme.rs`.
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

// The language that the dashboard will speak, found as `src/texts/language.rs` finds it.
const languages = ["en", "de"];
const known = (tag) => languages.find((code) => code === tag.split("-")[0].toLowerCase());
let chosen = "";
try {
  chosen = localStorage.getItem("sheaf-language") ?? "";
} catch {
  // Nothing is kept: as the browser has it.
}
const spoken = [chosen, ...navigator.languages].map(known).find(Boolean);
document.documentElement.lang = spoken ?? "en";

// Which shapes `index.html` shows meanwhile: those of a list, or of another page.
const list = /^\/(live|test)\/forms\/(frm_[\w-]+)(\/submissions\/[\w-]+)?$/.exec(location.pathname);
const first = list || location.pathname === "/" ? "list" : "page";
const signsIn = location.pathname === "/sign-in";
document.documentElement.setAttribute("data-first", signsIn ? "sign-in" : first);

// What the dashboard will ask for at once, asked while its code is on its way: who is signed in,
// and then, of those who are, forms and the first page. `src/api/early.rs` takes the answers.
if (!signsIn) {
  const ask = (url) => fetch(new Request(url, { headers: { "x-sheaf-csrf": "1" } }));
  const session = ask("/session");
  const asked = { "/session": session };
  const then = (url, wanted) => {
    const answer = session.then(async (told) => {
      const { data } = await told.clone().json();
      return wanted(data) ? ask(url) : undefined;
    });
    asked[url] = answer.catch(() => undefined);
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
}
