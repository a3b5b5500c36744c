// Injected into the page before its own scripts: notes what its thread does, gives it files, and moves about in it
// as a person would. `window.bench` is what main.rs calls.
(() => {
  const tasks = []; // [began, took] of tasks over 50 ms
  new PerformanceObserver((list) => list.getEntries().forEach((it) => tasks.push([it.startTime, it.duration])))
    .observe({ type: "longtask", buffered: true });
  const tasksSince = (from) => tasks.filter(([began, took]) => began + took > from).map(([, took]) => took);

  // Stretches of the page's own work, from–to: what it does with each word of the worker, and each frame from its
  // first scroll handler to after painting.
  const stretches = [];
  let frame = null;
  addEventListener("scroll", () => { frame ??= performance.now(); }, { capture: true });
  const painted = new MessageChannel();
  painted.port1.onmessage = ({ data }) => stretches.push([data, performance.now()]);

  // The page's workers load worker.js of this bench first.
  const blobs = new Map();
  const makeUrl = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    const url = makeUrl.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
  const PlainWorker = Worker;
  window.Worker = class extends PlainWorker {
    constructor(url, options) {
      const first = `import "${location.origin}/bench/worker.js";`;
      const own = blobs.get(String(url)) ?? `import ${JSON.stringify(String(url))};`;
      super(makeUrl.call(URL, new Blob([first, own], { type: "text/javascript" })), options);
      let began = 0;
      let heard = false;
      this.addEventListener("message", () => {
        began = performance.now();
        // Listeners run in order, so one added now runs after the page's own.
        if (!heard) this.addEventListener("message", () => stretches.push([began, performance.now()]));
        heard = true;
      });
    }
  };

  const channel = new BroadcastChannel("hopscope-bench");
  const told = { memory: [], asks: [] };
  channel.onmessage = ({ data }) => told[data.what]?.push(data);
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const until = async (done, every = 20) => {
    while (!done()) await pause(every);
  };
  const tell = async (what) => {
    told[what] = [];
    for (let waited = 0; told[what].length === 0; waited += 20) {
      // One that has not begun yet hears nothing.
      if (waited % 1000 === 0) channel.postMessage(what);
      await pause(20);
    }
    // There may be several workers, and some busy.
    await pause(100);
    return told[what];
  };
  const inTable = () => document.querySelector("[data-row]") !== null;
  const state = () => document.documentElement.dataset.state;
  const frames = () => new Promise((done) => requestAnimationFrame(done));

  const bench = {
    // Reads a file with the page, as if it were dropped on it: milliseconds to the first rows and to ready, and the
    // tasks over 50 ms meanwhile.
    async open(file) {
      const data = new DataTransfer();
      data.items.add(file);
      const at = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
      const began = performance.now();
      for (const type of ["dragenter", "dragover", "drop"]) {
        at.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
      }
      let first = null;
      let reading = false;
      await new Promise((done) => {
        const look = () => {
          first ??= inTable() ? performance.now() : null;
          reading ||= state() === "reading";
          if (reading && state() !== "reading") { watcher.disconnect(); done(); }
        };
        const watcher = new MutationObserver(look);
        watcher.observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
      });
      const ready = performance.now();
      await pause(100); // Long tasks are told of later.
      return { state: state(), first: (first ?? ready) - began, ready: ready - began, tasks: tasksSince(began) };
    },
    // Reads the same file in a worker that parses each line: milliseconds.
    async parse(file) {
      const worker = new PlainWorker("/bench/parse.js");
      const answer = () => new Promise((done) => { worker.onmessage = ({ data }) => done(data); });
      await answer();
      const began = performance.now();
      worker.postMessage(file);
      await answer();
      const took = performance.now() - began;
      worker.terminate();
      return took;
    },
    // Bytes of the workers' WebAssembly memory, which never shrinks.
    async memory() {
      return (await tell("memory")).reduce((sum, it) => sum + it.bytes, 0);
    },
    // The questions that were answered since this was last called, once no more are open: what was asked, and how many
    // milliseconds the worker took.
    async asks() {
      let asks = [];
      for (let quiet = 0; quiet < 2;) {
        const all = await tell("asks");
        const open = all.reduce((sum, it) => sum + it.open, 0);
        const more = all.flatMap((it) => it.asks);
        asks = asks.concat(more);
        quiet = open || more.length ? 0 : quiet + 1;
      }
      return asks;
    },
    // Does something in each of so many frames: the milliseconds of the page's own work in each, and the tasks over
    // 50 ms among it.
    async frames(count, act) {
      const begins = [];
      stretches.length = 0;
      const since = performance.now();
      for (let at = 0; at < count; at++) {
        await frames();
        frame ??= performance.now();
        begins.push(frame);
        act(at);
        painted.port2.postMessage(frame);
        frame = null;
      }
      await frames();
      await pause(100);
      const work = begins.map(() => 0);
      let reached = 0;
      for (const [from, to] of stretches.toSorted(([a], [b]) => a - b)) {
        const at = begins.findLastIndex((begin) => begin <= from);
        if (at >= 0 && to > reached) work[at] += to - Math.max(from, reached);
        reached = Math.max(reached, to);
      }
      return { work, tasks: tasksSince(since) };
    },
    scroll: (count) => {
      const rows = document.querySelector("#rows");
      // By a few rows a frame, and now and then far away, as the scroll bar is dragged.
      return bench.frames(count, (at) => {
        rows.scrollTop = at % 30 === 29 ? (rows.scrollHeight / count) * at : rows.scrollTop + 84;
      });
    },
    zoom: (count) => {
      const lane = document.querySelector("#lane").getBoundingClientRect();
      const at = document.querySelector("#rows");
      const place = { clientX: lane.x + lane.width / 3, clientY: lane.bottom + 100, bubbles: true, cancelable: true };
      return bench.frames(count, (frame) => {
        const deltaY = Math.floor(frame / 60) % 2 ? 40 : -40;
        at.dispatchEvent(new WheelEvent("wheel", { deltaY, ctrlKey: true, ...place }));
      });
    },
    sort: (count) => {
      const heads = document.querySelectorAll("th[data-col] > button");
      return bench.frames(count, (at) => {
        if (at % 30 === 0) heads[(at / 30) % heads.length].click();
      });
    },
    find(text) {
      const find = document.querySelector("#find");
      find.value = text;
      find.dispatchEvent(new InputEvent("input", { bubbles: true }));
    },
    // Milliseconds from typing `body:…` until all bodies have been searched.
    async search(text) {
      const going = () => document.querySelector("#cancel-search") !== null;
      const began = performance.now();
      bench.find(`body:"${text}"`);
      await until(going, 1);
      await until(() => !going(), 5);
      return performance.now() - began;
    },
    // Opens the body of the answer to the first operation, then its members, level by level, a few of each: the
    // milliseconds until it is seen, and the tasks over 50 ms until all is open.
    async tree() {
      const began = performance.now();
      location.hash = "row=1.1&panel=messages";
      const tree = '[data-message="response"] [role="tree"]';
      await until(() => document.querySelector(tree), 5);
      const seen = performance.now() - began;
      let asks = await bench.asks();
      for (let level = 0; level < 4; level++) {
        const folded = document.querySelectorAll(`${tree} [aria-expanded="false"] > button`);
        [...folded].slice(0, 3).forEach((button) => button.click());
        document.querySelector(`${tree} .more`)?.click();
        asks = asks.concat(await bench.asks());
      }
      const items = document.querySelectorAll(`${tree} [role="treeitem"]`).length;
      return { seen, items, asks, tasks: tasksSince(began) };
    },
  };
  window.bench = bench;
})();
