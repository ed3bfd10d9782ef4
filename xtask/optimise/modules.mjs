// Optimises modules in place, like `wasm-opt` with the same options, but all in one process. The
// `wasm-opt` of npm is itself WebAssembly, and its compilation takes longer than a small module.
// Usage: `node modules.mjs LIBRARY OPTION… -- FILE…`, with the script of the package `binaryen`,
// the options in their order, and the modules.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [library, ...rest] = process.argv.slice(2);
const end = rest.indexOf("--");
const [words, files] = [rest.slice(0, end), rest.slice(end + 1)];
const { default: binaryen } = await import(pathToFileURL(library));
const { Features } = binaryen;

// Options that apply to the whole run, independent of their position.
const terms = {
  "--low-memory-unused": () => binaryen.setLowMemoryUnused(true),
  "--one-caller-inline-max-function-size": (most) => binaryen.setOneCallerInlineMaxSize(most),
  "--always-inline-max-function-size": (most) => binaryen.setAlwaysInlineMaxSize(most),
};
const features = {
  "--enable-bulk-memory": Features.BulkMemory | Features.BulkMemoryOpt,
  "--enable-nontrapping-float-to-int": Features.NontrappingFPToInt,
  "--enable-sign-ext": Features.SignExt,
  "--enable-mutable-globals": Features.MutableGlobals,
  "--enable-reference-types": Features.ReferenceTypes | Features.CallIndirectOverlong,
  "--enable-multivalue": Features.Multivalue,
};
const run = (pass) => (module) => module.runPasses([pass]);
const steps = {
  "-Oz": (module) => module.optimize(),
  "--flatten": run("flatten"),
  "--rereloop": run("rereloop"),
  "--strip-producers": run("strip-producers"),
  "--strip-target-features": run("strip-target-features"),
};

// The levels that `-Oz` sets. The step above runs only its passes.
binaryen.setOptimizeLevel(2);
binaryen.setShrinkLevel(2);
binaryen.setGenerateStackIR(true);
binaryen.setOptimizeStackIR(true);
let allowed = Features.MVP;
const todo = [];
for (const word of words) {
  const [name, value] = word.split("=");
  if (terms[name]) terms[name](Number(value));
  else if (features[name]) allowed |= features[name];
  else if (steps[name]) todo.push(steps[name]);
  else throw new Error(`\`${word}\` is not known here: say in ${import.meta.url} what it means`);
}
for (const file of files) {
  const module = binaryen.readBinary(readFileSync(file));
  module.setFeatures(allowed);
  for (const step of todo) step(module);
  writeFileSync(file, module.emitBinary());
  module.dispose();
}
