//! Style of the public pages. It is inline, since the pages load no resources.

/// Light and dark, for phones and larger screens.
pub(super) const STYLE: &str = r#"
:root{color-scheme:light dark;
--ink:light-dark(#1c2024,#edeef0);--quiet:light-dark(#5a626b,#a9b1ba);
--ground:light-dark(#f6f7f8,#15181b);--card:light-dark(#fff,#1e2226);
--line:light-dark(#dfe3e6,#343a40);--link:light-dark(#0b5cad,#8cc2ff);
--good:light-dark(#1a7f4b,#5fd39a);--bad:light-dark(#b3261e,#ff9a92)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;
background:var(--ground);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{width:100%;max-width:32rem;padding:2rem;background:var(--card);border:1px solid var(--line);
border-radius:.75rem;border-block-start:4px solid var(--good)}
main.refusal{border-block-start-color:var(--bad)}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25;text-wrap:balance}
p{margin:.5rem 0 0;overflow-wrap:anywhere}
.why{color:var(--quiet)}
.way{margin-block-start:1.25rem}
a{color:var(--link);text-underline-offset:.15em}
button{margin-block-start:1.25rem;padding:.625rem 1.25rem;border:0;border-radius:.5rem;
background:var(--link);color:var(--card);font:inherit;font-weight:600;cursor:pointer}
a:focus-visible,button:focus-visible{outline:2px solid var(--link);outline-offset:3px}
a:focus-visible{border-radius:2px}
@media (max-width:30rem){body{padding:1rem}main{padding:1.5rem 1.25rem}}
"#;
