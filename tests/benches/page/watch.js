// Injected into the page before its own scripts: gives it files and moves about in it as a person would, and marks in
// the browser's trace what main.rs is to measure: `NAME<` where it begins, `NAME>` where it ends. `window.bench` is
// what main.rs calls.
(() => {
  const mark = (what) => performance.mark(`hopscope ${what}`);

  // The page's own work: what it does with each word of the worker, and each frame from its first scroll handler to
  // after painting.
  let begun = false;
  const frameBegins = () => {
    if (!begun) mark("frame<");
    begun = true;
  };
  addEventListener("scroll", frameBegins, { capture: true });
  const painted = new MessageChannel();
  painted.port1.onmessage = () => mark("frame>");

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
      let heard = false;
      this.addEventListener("message", () => {
        if (heard) mark("heard<");
        // Listeners run in order, so one added now runs after the page's own.
        else this.addEventListener("message", () => mark("heard>"));
        heard = true;
      });
    }
  };

  const channel = new BroadcastChannel("hopscope-bench");
  const told = { memory: [], open: [] };
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
    // Reads a file with the page, as if it were dropped on it: milliseconds to the first rows and to ready.
    async open(file) {
      const data = new DataTransfer();
      data.items.add(file);
      const at = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
      mark("open<");
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
      await pause(100); // What it does last is to be among its tasks.
      mark("open>");
      return { state: state(), first: (first ?? ready) - began, ready: ready - began };
    },
    // Likewise, while the table is scrolled to and fro.
    async openScrolling(file) {
      const opened = bench.open(file);
      let reading = true;
      opened.then(() => { reading = false; });
      for (let at = 0; reading; at++) {
        await frames();
        const rows = document.querySelector("#rows");
        if (rows) rows.scrollTop = ((at % 20) / 20) * rows.scrollHeight;
      }
      return opened;
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
    // Waits until the worker has answered all that it was asked.
    async idle() {
      for (let quiet = 0; quiet < 2; quiet++) {
        if ((await tell("open")).some((it) => it.open > 0)) quiet = 0;
      }
    },
    // Does something in each of so many frames.
    async frames(count, act) {
      mark("move<");
      for (let at = 0; at < count; at++) {
        await frames();
        frameBegins();
        act(at);
        painted.port2.postMessage(null);
        begun = false;
      }
      await frames();
      await bench.idle();
      mark("move>");
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
    // milliseconds until it is seen.
    async tree() {
      mark("tree<");
      const began = performance.now();
      location.hash = "row=1.1&panel=messages";
      const tree = '[data-message="response"] [role="tree"]';
      await until(() => document.querySelector(tree), 5);
      const seen = performance.now() - began;
      for (let level = 0; level < 4; level++) {
        const folded = document.querySelectorAll(`${tree} [aria-expanded="false"] > button`);
        [...folded].slice(0, 3).forEach((button) => button.click());
        document.querySelector(`${tree} .more`)?.click();
        await bench.idle();
      }
      mark("tree>");
      return seen;
    },
  };
  window.bench = bench;
})();
