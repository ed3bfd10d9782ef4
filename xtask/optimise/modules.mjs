// Optimises modules in place, like `wasm-opt` with the same options, but all in one process. The
// `wasm-opt` of npm is itself WebAssembly, and its compilation takes longer than a small module.
// Usage: `node modules.mjs LIBRARY OPTION… -- FILE…`, with the script of the package `binaryen`,
// the options in order, and the modules.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [library, ...rest] = process.argv.slice(2);
const end = rest.indexOf("--");
const options = rest.slice(0, end);
const files = rest.slice(end + 1);
const { default: binaryen } = await import(pathToFileURL(library));
const { Features } = binaryen;

// Options that apply to the whole run, independent of their position.
const settings = {
  "--low-memory-unused": () => binaryen.setLowMemoryUnused(true),
  "--one-caller-inline-max-function-size": (max) => binaryen.setOneCallerInlineMaxSize(max),
  "--always-inline-max-function-size": (max) => binaryen.setAlwaysInlineMaxSize(max),
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
let enabledFeatures = Features.MVP;
const pipeline = [];
for (const option of options) {
  const [name, value] = option.split("=");
  if (settings[name]) settings[name](Number(value));
  else if (features[name]) enabledFeatures |= features[name];
  else if (steps[name]) pipeline.push(steps[name]);
  else throw new Error(`unknown option \`${option}\`: add it to ${import.meta.url}`);
}
for (const file of files) {
  const module = binaryen.readBinary(readFileSync(file));
  module.setFeatures(enabledFeatures);
  for (const step of pipeline) step(module);
  writeFileSync(file, module.emitBinary());
  module.dispose();
}
