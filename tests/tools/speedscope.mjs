// Holds Trace Event files to speedscope's own importer: every slice is matched, without a warning.
import { createRequire } from "node:module";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createContext, runInContext } from "node:vm";

// Packages come from where the script is run, not from where it lies.
const require = createRequire(join(process.cwd(), "package.json"));
const files = process.argv.slice(2);
if (files.length === 0) throw new Error("name the files to import");

// The package ships speedscope as one bundled program for a browser. The importer's exports kept their
// names in it, and it touches no browser: it is handed out just before it is defined, and the program,
// which then asks for a window and finds none, ends.
const release = join(dirname(require.resolve("speedscope/package.json")), "dist/release");
const program = readdirSync(release).find((name) => /^speedscope-\w+\.js$/.test(name));
const source = readFileSync(join(release, program), "utf8");
const exported = /var ([\w$]+)=\{\};[\w$]+\(\1,\{[^}]*importProfileGroupFromText:/.exec(source);
const name = exported?.[1].replaceAll("$", "\\$");
const loaded = new RegExp(`\\(\\)=>\\([\\w$]+\\(\\),${name}\\)`).exec(source);
if (!loaded) throw new Error(`speedscope's importer is not where it was in ${program}`);

const said = [];
const console_ = { log: (message) => said.push(message) };
console_.warn = console_.error = (...message) => {
  throw new Error(message.join(" "));
};
const context = createContext({ console: console_, TextDecoder, TextEncoder });
context.window = context.self = context;
try {
  runInContext(`${source.slice(0, exported.index)}globalThis.importer=${loaded[0]};${source.slice(exported.index)}`, context);
} catch (error) {
  if (!context.importer) throw error;
}
const { importProfileGroupFromText } = context.importer();

let slices = 0;
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const begun = JSON.parse(text).traceEvents.filter((event) => event.ph === "B").length;
  if (begun === 0) continue;
  const { profiles } = await importProfileGroupFromText("exported.json", text);
  if (said.pop() !== "Importing as Trace Event Format profile") throw new Error(`${file} was taken for something else`);
  let [open, met] = [0, 0];
  for (const profile of profiles) {
    profile.forEachCall(
      () => (open++, met++),
      () => open--,
    );
  }
  if (open !== 0) throw new Error(`${file}: ${open} slices stay open`);
  // Slices of no length are not drawn.
  if (met > begun) throw new Error(`${file}: ${begun} slices were written, ${met} imported`);
  slices += met;
}
if (slices === 0) throw new Error("no slice was imported");
console.log(`${files.length} traces hold ${slices} slices`);
