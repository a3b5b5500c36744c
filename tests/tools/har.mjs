// Holds HAR files to the published HAR 1.2 schema, and their timings to their sums.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

// Packages come from where the script is run, not from where it lies.
const require = createRequire(join(process.cwd(), "package.json"));
const Ajv = require("ajv");
const schemas = require("har-schema");

const ajv = new Ajv({ schemaId: "auto", allErrors: true });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-06.json"));
for (const schema of Object.values(schemas)) ajv.addSchema(schema);
const validate = ajv.getSchema(schemas.har.$id ?? "har.json#") ?? ajv.compile(schemas.har);

// A schema that accepts anything would prove nothing.
if (validate({ log: { version: "1.2", entries: [{}] } })) throw new Error("the schema accepts an empty entry");

const files = process.argv.slice(2);
if (files.length === 0) throw new Error("name the files to validate");
for (const file of files) {
  const har = JSON.parse(readFileSync(file, "utf8"));
  if (!validate(har)) throw new Error(`${file}: ${ajv.errorsText(validate.errors)}`);
  for (const { timings, time } of har.log.entries) {
    if (Math.abs(timings.wait + timings.blocked - time) > 1e-6) throw new Error(`${file}: ${time} is not the sum`);
  }
}
console.log(`${files.length} HAR files are valid`);
