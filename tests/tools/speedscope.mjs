// Holds Trace Event files to speedscope's own importer: every slice is matched, without a warning.
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { tmpdir } from "node:os";

const require = createRequire(join(process.cwd(), "package.json"));
const [checkout, ...files] = process.argv.slice(2);
if (files.length === 0) throw new Error("name speedscope's checkout, and the files to import");

const folder = mkdtempSync(join(tmpdir(), "hopscope-speedscope-"));
const bundle = join(folder, "importer.cjs");
require("esbuild").buildSync({
  entryPoints: [join(resolve(checkout), "src/import/trace-event.ts")],
  bundle: true,
  platform: "node",
  format: "cjs",
  outfile: bundle,
  logLevel: "error",
});
const { importTraceEvents } = require(bundle);
rmSync(folder, { recursive: true });

for (const level of ["warn", "error"]) {
  console[level] = (message) => {
    throw new Error(message);
  };
}
let slices = 0;
for (const file of files) {
  const trace = JSON.parse(readFileSync(file, "utf8"));
  if (!trace.traceEvents.some((event) => event.ph === "B")) continue;
  for (const profile of importTraceEvents(trace).profiles) {
    let open = 0;
    profile.forEachCall(
      () => (open++, slices++),
      () => open--,
    );
    if (open !== 0) throw new Error(`${file}: ${open} slices stay open`);
  }
}
if (slices === 0) throw new Error("no slice was imported");
console.log(`${files.length} traces hold ${slices} slices`);
