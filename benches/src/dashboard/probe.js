// Runs in every page before the page's scripts. Observes the page without changing it.
(() => {
  const FRAME_MS = 1000 / 60;
  // Server-rendered rows are readable but inert, so they do not count as ready.
  const anyRow = () => document.querySelector("[role=row][data-key]");
  const usableRow = () => document.querySelector("[role=row][data-key]:not([inert] *)");
  const probe = { first: null, ready: null, memory: null, done: null, errors: [] };
  window.probe = probe;

  const log = console.error;
  console.error = (...words) => {
    probe.errors.push(words.join(" "));
    log(...words);
  };
  addEventListener("error", (event) => probe.errors.push(event.message));
  addEventListener("unhandledrejection", (event) => probe.errors.push(String(event.reason)));

  // Only the code that instantiates a WebAssembly module can access its memory.
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const original = WebAssembly[name];
    WebAssembly[name] = (...parameters) => {
      const promise = original.apply(WebAssembly, parameters);
      promise.then((result) => {
        const exports = Object.values((result.instance ?? result).exports);
        probe.memory ??= exports.find((value) => value instanceof WebAssembly.Memory) ?? null;
      }, () => {});
      return promise;
    };
  }

  // Content that exists in one frame is on screen when the next frame begins.
  const paintTime = (isVisible) =>
    new Promise((resolve) => {
      const check = () =>
        requestAnimationFrame(isVisible() ? () => resolve(performance.now()) : check);
      check();
    });
  const isReady = () =>
    usableRow() !== null && document.querySelector("[inert] [data-key]") === null;
  paintTime(anyRow).then((time) => (probe.first = time));
  paintTime(isReady).then((time) => (probe.ready = time));

  // Returns whether all visible rows are loaded.
  probe.isLoaded = () =>
    usableRow() !== null && !document.querySelector("[role=row][aria-busy=true]");

  // Returns the bytes of the response bodies up to an instant, by kind. The page counts as HTML
  // only up to the size of the plain page, which is the same for all users. The rest counts as
  // data.
  probe.bytes = async (until) => {
    const kind = (name) => /\.(js|css|wasm|svg)(?:$|\?)/.exec(name)?.[1] ?? "data";
    const pageBytes = performance.getEntriesByType("navigation")[0].encodedBodySize;
    const bytes = { data: 0 };
    for (const { name, startTime, encodedBodySize } of performance.getEntriesByType("resource")) {
      if (startTime < until && !name.startsWith("data:")) {
        bytes[kind(name)] = (bytes[kind(name)] ?? 0) + encodedBodySize;
      }
    }
    await (await fetch(location.href, { cache: "no-store" })).text();
    // The browser adds the entry one task after the text.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const plainPage = performance.getEntriesByName(location.href, "resource").at(-1);
    bytes.html = Math.min(plainPage.encodedBodySize, pageBytes);
    bytes.data += pageBytes - bytes.html;
    return bytes;
  };

  // Records every frame until `probe.stop` is called.
  probe.start = () => {
    const record = { frames: 0, dropped: 0, rows: 0, long: [], slow: [] };
    let lastFrame;
    let isStopped = false;
    const onFrame = (now) => {
      if (lastFrame !== undefined) {
        record.frames += 1;
        record.dropped += Math.max(0, Math.round((now - lastFrame) / FRAME_MS) - 1);
      }
      lastFrame = now;
      record.rows = Math.max(record.rows, document.querySelectorAll("[role=row]").length);
      if (!isStopped) {
        requestAnimationFrame(onFrame);
      }
    };
    const observe = (type, onEntry) => {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(onEntry));
      observer.observe({ type });
      return () => {
        observer.takeRecords().forEach(onEntry);
        observer.disconnect();
      };
    };
    const stopTasks = observe("longtask", (task) => record.long.push(task.duration));
    const stopFrames = observe("long-animation-frame", (frame) => {
      const scripts = frame.scripts.map(
        ({ invoker, duration }) => `${invoker} ${Math.round(duration)}`,
      );
      const end = frame.startTime + frame.duration;
      const layout = frame.styleAndLayoutStart ? end - frame.styleAndLayoutStart : 0;
      record.slow.push([Math.round(frame.duration), Math.round(layout), scripts.join(", ")]);
    });
    requestAnimationFrame(onFrame);
    probe.stop = () => {
      isStopped = true;
      stopTasks();
      stopFrames();
      return record;
    };
  };

  // Measures the time from the next event of a type until a condition is visible on screen. The
  // event creates the condition, which may compare with the page before the event.
  probe.watch = (type, prepareCondition) => {
    probe.done = new Promise((resolve) => {
      const onEvent = (event) => {
        const isVisible = prepareCondition();
        paintTime(isVisible).then((time) => resolve(time - event.timeStamp));
      };
      addEventListener(type, onEvent, { capture: true, once: true });
    });
  };

  // Condition: the list shows other rows than now, and all of them are loaded.
  probe.others = () => {
    const firstRow = () =>
      document.querySelector("[role=grid]")?.getAttribute("aria-rowcount") +
      usableRow()?.dataset.key;
    const before = firstRow();
    return () => probe.isLoaded() && firstRow() !== before;
  };

  // Condition: the card shows its content.
  probe.card = () => () => document.querySelector(".drawer-body dd") !== null;
})();
