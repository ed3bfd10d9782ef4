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
