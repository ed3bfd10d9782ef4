// Runs in every page before the page's scripts. Observes the page without changing it.
(() => {
  const FRAME_MS = 1000 / 60;
  // Server-rendered rows are readable but inert, so they do not count as ready.
  const seen = () => document.querySelector("[role=row][data-key]");
  const row = () => document.querySelector("[role=row][data-key]:not([inert] *)");
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
    const real = WebAssembly[name];
    WebAssembly[name] = (...given) => {
      const made = real.apply(WebAssembly, given);
      made.then((it) => {
        const all = Object.values((it.instance ?? it).exports);
        probe.memory ??= all.find((one) => one instanceof WebAssembly.Memory) ?? null;
      }, () => {});
      return made;
    };
  }

  // Content that exists in one frame is on screen when the next frame begins.
  const painted = (isThere) =>
    new Promise((resolve) => {
      const look = () => requestAnimationFrame(isThere() ? () => resolve(performance.now()) : look);
      look();
    });
  painted(seen).then((at) => (probe.first = at));
  painted(() => row() !== null && document.querySelector("[inert] [data-key]") === null).then(
    (at) => (probe.ready = at),
  );

  // Returns whether all visible rows are loaded.
  probe.rests = () => row() !== null && !document.querySelector("[role=row][aria-busy=true]");

  // Returns the bytes of the response bodies up to an instant, by kind. The page counts as HTML
  // only up to the size of the plain page, which is the same for all users. The rest counts as
  // data.
  probe.bytes = async (until) => {
    const kind = (name) => /\.(js|css|wasm|svg)(?:$|\?)/.exec(name)?.[1] ?? "data";
    const whole = performance.getEntriesByType("navigation")[0].encodedBodySize;
    const bytes = { data: 0 };
    for (const one of performance.getEntriesByType("resource")) {
      if (one.startTime < until && !one.name.startsWith("data:")) {
        bytes[kind(one.name)] = (bytes[kind(one.name)] ?? 0) + one.encodedBodySize;
      }
    }
    await (await fetch(location.href, { cache: "no-store" })).text();
    // The browser adds the entry one task after the text.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const plain = performance.getEntriesByName(location.href, "resource").at(-1).encodedBodySize;
    bytes.html = Math.min(plain, whole);
    bytes.data += whole - bytes.html;
    return bytes;
  };

  // Records every frame until `probe.stop` is called.
  probe.start = () => {
    const seen = { frames: 0, dropped: 0, rows: 0, long: [], slow: [] };
    let last;
    let ends = false;
    const look = (now) => {
      if (last !== undefined) {
        seen.frames += 1;
        seen.dropped += Math.max(0, Math.round((now - last) / FRAME_MS) - 1);
      }
      last = now;
      seen.rows = Math.max(seen.rows, document.querySelectorAll("[role=row]").length);
      if (!ends) {
        requestAnimationFrame(look);
      }
    };
    const take = (type, taken) => {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(taken));
      observer.observe({ type });
      return () => {
        observer.takeRecords().forEach(taken);
        observer.disconnect();
      };
    };
    const tasks = take("longtask", (task) => seen.long.push(task.duration));
    const slow = take("long-animation-frame", (frame) => {
      const scripts = frame.scripts.map((it) => `${it.invoker} ${Math.round(it.duration)}`);
      const end = frame.startTime + frame.duration;
      const layout = frame.styleAndLayoutStart ? end - frame.styleAndLayoutStart : 0;
      seen.slow.push([Math.round(frame.duration), Math.round(layout), scripts.join(", ")]);
    });
    requestAnimationFrame(look);
    probe.stop = () => {
      ends = true;
      tasks();
      slow();
      return seen;
    };
  };

  // Measures the time from the next event of a type until a condition is visible on screen.
  probe.watch = (type, isThere) => {
    probe.done = new Promise((resolve) => {
      const begin = (event) => {
        const from = event.timeStamp;
        const until = isThere();
        painted(until).then((at) => resolve(at - from));
      };
      addEventListener(type, begin, { capture: true, once: true });
    });
  };

  // Condition: the list shows other rows than now, and all of them are loaded.
  probe.others = () => {
    const told = () =>
      document.querySelector("[role=grid]")?.getAttribute("aria-rowcount") + row()?.dataset.key;
    const before = told();
    return () => probe.rests() && told() !== before;
  };

  // Condition: the card shows its content.
  probe.card = () => () => document.querySelector(".drawer-body dd") !== null;
})();
