
const dark = matchMedia("(prefers-color-scheme: dark)");
const applyColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyColorScheme);
applyColorScheme();
// Without submit methods there is no "Try it out".
SwaggerUIBundle({
  url: "/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null,
  syntaxHighlight: { theme: "tomorrow-night" }, supportedSubmitMethods: [],
});
