const narrow = matchMedia("(width < 900px)");
const fold = () => (document.querySelector("nav details").open = !narrow.matches);
narrow.addEventListener("change", fold);
fold();
for (const figure of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  const say = (word) => {
    button.textContent = word;
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", () => {
    const code = figure.querySelector("code");
    const select = () => {
      getSelection().selectAllChildren(code);
      say("Selected");
    };
    if (!navigator.clipboard) return select();
    navigator.clipboard.writeText(code.textContent).then(() => say("Copied"), select);
  });
  figure.querySelector("figcaption").append(button);
}
