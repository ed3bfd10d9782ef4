// Put into every page before its own scripts: looks at it from inside, and changes nothing of it.
(() => {
  const FRAME_MS = 1000 / 60;
  // Rows that come with a page can be read, and answer to nothing: they are inert.
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

  // WebAssembly tells of its memory to whoever made it only.
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

  // What is there in one frame is on screen when the next one begins.
  const painted = (isThere) =>
    new Promise((resolve) => {
      const look = () => requestAnimationFrame(isThere() ? () => resolve(performance.now()) : look);
      look();
    });
  painted(seen).then((at) => (probe.first = at));
  painted(() => row() !== null && document.querySelector("[inert] [data-key]") === null).then(
    (at) => (probe.ready = at),
  );

  // Whether every row in view has come.
  probe.rests = () => row() !== null && !document.querySelector("[role=row][aria-busy=true]");

  // Bytes of bodies that came until an instant, by kind. What a page brings beyond the one that is
  // the same for everyone is data.
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
    // The entry is there a task later than the text.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const plain = performance.getEntriesByName(location.href, "resource").at(-1).encodedBodySize;
    bytes.html = Math.min(plain, whole);
    bytes.data += whole - bytes.html;
    return bytes;
  };

  // Looks at every frame, until it is told to stop.
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

  // From the next event of a type until something is on screen.
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

  // Other rows than now, all of them there.
  probe.others = () => {
    const told = () =>
      document.querySelector("[role=grid]")?.getAttribute("aria-rowcount") + row()?.dataset.key;
    const before = told();
    return () => probe.rests() && told() !== before;
  };

  // The card, with what it shows.
  probe.card = () => () => document.querySelector(".drawer-body dd") !== null;
})();
