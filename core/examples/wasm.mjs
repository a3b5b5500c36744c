// Measures modules made of wasm.rs against a TextDecoder and JSON.parse of each line, in one process of Node:
// `node wasm.mjs CAPTURE MODULE…`. Processor time, so that a busy machine counts for less; the best of five.
import fs from "node:fs";
import zlib from "node:zlib";

const [capture, ...paths] = process.argv.slice(2);
const SLICE = 2 << 20;
const text = fs.readFileSync(capture);

const timed = (run) => {
  const began = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(began);
  return { result, micros: user + system };
};

const parse = () => {
  const decoder = new TextDecoder();
  let kept = 0;
  for (let from = 0, end; (end = text.indexOf(10, from)) >= 0; from = end + 1) {
    kept += JSON.parse(decoder.decode(text.subarray(from, end))).seq;
  }
  return kept;
};

const read = ({ open, buffer, push, close, memory }) => {
  open();
  for (let at = 0; at < text.length; at += SLICE) {
    const slice = text.subarray(at, at + SLICE);
    const place = buffer(SLICE);
    new Uint8Array(memory.buffer, place, slice.length).set(slice);
    push(slice.length);
  }
  return close();
};

const modules = paths.map((path) => {
  const bytes = fs.readFileSync(path);
  const start = () => new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  return { path, packed: zlib.gzipSync(bytes, { level: 9 }).length, start, best: Infinity };
});
let parsing = Infinity;
for (let run = 0; run < 5; run++) {
  parsing = Math.min(parsing, timed(parse).micros);
  for (const module of modules) {
    const exports = module.start();
    const { result, micros } = timed(() => read(exports));
    module.best = Math.min(module.best, micros);
    module.frames = result;
    module.memory = exports.memory.buffer.byteLength;
    const sorting = timed(() => exports.sort());
    module.operations = sorting.result;
    module.sorting = Math.min(module.sorting ?? Infinity, sorting.micros);
    module.sorted = exports.memory.buffer.byteLength;
    module.filters ??= [];
    for (const which of [0, 1, 2, 3]) {
      const { micros } = timed(() => exports.filter(which));
      module.filters[which] = Math.min(module.filters[which] ?? Infinity, micros);
    }
  }
}
const beyond = (memory, frames) => `${(memory / 1e6).toFixed(1)} MB, ${((memory - 8e6) / frames).toFixed(0)} bytes a frame beyond 8 MB`;
for (const { path, packed, best, frames, memory, operations, sorting, sorted, filters } of modules) {
  console.log(path);
  console.log(`  JSON.parse a line / whole: ${(parsing / best).toFixed(2)} (target: at least 2)`);
  console.log(`  memory: ${beyond(memory, frames)} (target: at most 96), for ${frames} frames`);
  console.log(`  with ${operations} operations sorted: ${beyond(sorted, frames)}; ${(sorting / 2000).toFixed(0)} ms a list`);
  console.log(`  filtered: ${filters.map((micros) => (micros / 1000).toFixed(0)).join(", ")} ms`);
  console.log(`  ${(packed / 1000).toFixed(0)} KB gzipped, before wasm-opt`);
}
