// Fake clock of the tests. Timers, animation frames and clocks of the page stop until a test
// advances them. Layout, scrolling and observers use the browser's real frames.

const real = {
  Date,
  performance,
  setTimeout: window.setTimeout.bind(window),
  clearTimeout: window.clearTimeout.bind(window),
  requestAnimationFrame: window.requestAnimationFrame.bind(window),
  log: console.log,
};
const FRAME_MS = 16;
// Noon, so that no test passes midnight by accident.
const START_MS = Date.UTC(2026, 5, 15, 12);

let nowMs = START_MS;
let lastId = 1_000_000_000;
// `{ dueMs, everyMs, run }` by handle, in the order of creation.
const timers = new Map();
// Promises that the browser settles.
const pending = new Set();
// Whether the test has started a worker, which runs in real time.
let hasWorker = false;
let testNumber = 0;
let endTest;
let testEnd = new Promise((end) => (endTest = end));

const addTimer = (run, ms, everyMs) => {
  timers.set(++lastId, { dueMs: nowMs + ms, everyMs, run });
  return lastId;
};
const delay = (ms) => Math.max(Number(ms) || 0, 0);
const clear = (id) => {
  if (!timers.delete(id)) real.clearTimeout(id);
};

// Makes the clock wait for a promise. The result stays pending after the end of its test, so that
// no code of that test runs in the next one.
const track = (promise) => {
  const test = testNumber;
  pending.add(promise);
  const settle = (end) => (value) => {
    pending.delete(promise);
    if (test === testNumber) end(value);
  };
  return new Promise((end, fail) => promise.then(settle(end), settle(fail)));
};

// Replaces methods of a type so that the clock waits for their promises.
const trackAll = (type, names) => {
  for (const name of names) {
    const method = type.prototype[name];
    type.prototype[name] = function (...parameters) {
      return track(method.apply(this, parameters));
    };
  }
};

class TestDate extends real.Date {
  constructor(...parameters) {
    if (parameters.length > 0) super(...parameters);
    else super(nowMs);
  }

  static now() {
    return nowMs;
  }
}

const install = () => {
  window.setTimeout = (run, ms, ...parameters) => {
    // With this timer the runner revokes the URL of a worker, which has to load first.
    if (run.name === "revoke") return real.setTimeout(run, ms);
    return addTimer(() => run(...parameters), delay(ms));
  };
  // A period of zero would never end.
  window.setInterval = (run, ms, ...parameters) =>
    addTimer(() => run(...parameters), Math.max(delay(ms), 1), Math.max(delay(ms), 1));
  window.clearTimeout = clear;
  window.clearInterval = clear;
  window.requestAnimationFrame = (run) => addTimer(() => run(performance.now()), FRAME_MS);
  window.cancelAnimationFrame = clear;
  window.Date = TestDate;
  const now = { value: () => nowMs - START_MS };
  // The test runner keeps the real object.
  const value = Object.create(real.performance, { now });
  Object.defineProperty(window, "performance", { value, configurable: true });
  for (const target of [window, document]) {
    const add = target.addEventListener.bind(target);
    target.addEventListener = (...listener) => {
      listeners.push([target, ...listener]);
      add(...listener);
    };
  }
  trackAll(Request, ["text"]);
  trackAll(Response, ["text", "json", "blob", "arrayBuffer"]);
  trackAll(Blob, ["text", "arrayBuffer"]);
  trackAll(StorageManager, ["getDirectory"]);
  trackAll(FileSystemDirectoryHandle, ["removeEntry"]);
  window.Worker = class extends Worker {
    constructor(...parameters) {
      super(...parameters);
      hasWorker = true;
    }
  };
  const request = LockManager.prototype.request;
  LockManager.prototype.request = function (...parameters) {
    const run = parameters.pop();
    const test = testNumber;
    const end = testEnd;
    // A lock is released at the end of its test.
    const hold = (lock) => (test === testNumber ? Promise.race([run(lock), end]) : undefined);
    const result = request.call(this, ...parameters, hold);
    // The browser answers the query after the request: by then it has granted a free lock.
    track(this.query());
    return result;
  };
  for (const name of ["back", "forward", "go"]) {
    const method = History.prototype[name];
    History.prototype[name] = function (...parameters) {
      const end = (end) => addEventListener("popstate", end, { once: true });
      track(Promise.race([new Promise(end), new Promise((end) => real.setTimeout(end, 20_000))]));
      method.apply(this, parameters);
    };
  }
};

// State of the page before the first test.
const first = {
  path: location.href,
  fetch: window.fetch,
  elements: new Set([...document.head.children, ...document.body.children]),
};
const listeners = [];

// Removes everything that the previous test left: a test that panics runs no destructors.
const cleanPage = () => {
  for (const [target, ...listener] of listeners.splice(0)) target.removeEventListener(...listener);
  for (const element of [...document.head.children, ...document.body.children]) {
    if (!first.elements.has(element) && element.id !== "true-styles") element.remove();
  }
  const root = document.documentElement;
  for (const name of root.getAttributeNames()) root.removeAttribute(name);
  testNumber += 1;
  endTest();
  testEnd = new Promise((end) => (endTest = end));
  timers.clear();
  pending.clear();
  hasWorker = false;
  localStorage.clear();
  sessionStorage.clear();
  window.fetch = first.fetch;
  window.Date = TestDate;
  history.replaceState(null, "", first.path);
};

// The runner logs this line before each test.
let isInstalled = false;
console.log = (...parameters) => {
  if (String(parameters[0]).startsWith("Invoking test: ")) {
    if (!isInstalled) install();
    isInstalled = true;
    cleanPage();
  }
  real.log(...parameters);
};

// Runs a separate task. After it, all earlier microtasks and tasks have run.
const channel = new MessageChannel();
const ends = [];
channel.port1.onmessage = () => ends.shift()();
const task = () =>
  new Promise((end) => {
    ends.push(end);
    channel.port2.postMessage(null);
  });

const drain = async () => {
  await task();
  while (pending.size > 0) {
    await Promise.allSettled([...pending]);
    await task();
  }
};

// Waits for a frame of the browser. After it, scroll events and observers have been dispatched.
const frame = async () => {
  await new Promise((end) => real.requestAnimationFrame(end));
  await drain();
};

const nextTimer = (endMs) => {
  let first;
  for (const [id, timer] of timers) {
    if (timer.dueMs <= endMs && !(first && first[1].dueMs <= timer.dueMs)) first = [id, timer];
  }
  return first;
};

const advance = async (ms) => {
  const endMs = nowMs + ms;
  await drain();
  for (let due = nextTimer(endMs); due; due = nextTimer(endMs)) {
    const [id, timer] = due;
    nowMs = Math.max(nowMs, timer.dueMs);
    timers.delete(id);
    if (timer.everyMs) timers.set(id, { ...timer, dueMs: nowMs + timer.everyMs });
    try {
      timer.run();
    } catch (error) {
      reportError(error);
    }
    await drain();
  }
  nowMs = endMs;
};

/** Advances the clock, and runs each timer that becomes due in a separate task. */
export async function wait(ms) {
  await frame();
  await advance(ms);
  await frame();
}

/** Runs the timers due within 60 ms, and waits for two frames of the browser. */
export async function settle() {
  for (let i = 0; i < 2; i++) {
    await frame();
    await advance(30);
  }
}

/**
 * Advances the clock a little; `number` counts the calls. After the first calls, only every fifth
 * call waits for a frame, and pauses while there is a worker: workers need real time.
 */
export async function step(number) {
  const isFifth = number >= 3 && number % 5 === 0;
  if (hasWorker && isFifth) await new Promise((end) => real.setTimeout(end, FRAME_MS));
  if (number < 3 || isFifth) await frame();
  await advance(20);
}

/** Advances the clock without running timers, as if the computer had slept. */
export function sleep(ms) {
  nowMs += ms;
}

/** Real time, in milliseconds. */
export const trueNow = () => real.performance.now();
