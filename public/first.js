// Puts the kept theme and density on the root element before the first paint, so that a page in
// the dark never flashes white. The names are those of `src/stores/theme.rs`.
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
