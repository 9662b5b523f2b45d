// run_module.mjs FOLDER: search with a module as a browser does; prints what its arrays hold afterwards, and what was found.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { Search } from "../../src/stratagem/web/static/here.js";
import { open } from "../../src/stratagem/web/static/wasm.js";

const folder = process.argv[2];
const { manifest, seat, low, slices } = JSON.parse(readFileSync(`${folder}/begun.json`, "utf8"));
const opened = await open(await WebAssembly.compile(readFileSync(`${folder}/module.wasm`)), manifest);
const search = new Search(opened, { seat, low, manifest });
let first; // processor time after the first slice: until then the browser's compiler is at work
for (const simulations of slices) {
  if (!search.slice(simulations)) break;
  first ??= process.cpuUsage();
}
const { user, system } = process.cpuUsage(first);
const digests = {};
for (const [name, { buffer, byteOffset, byteLength }] of Object.entries(opened.arrays))
  digests[name] = createHash("sha256").update(new Uint8Array(buffer, byteOffset, byteLength)).digest("hex");
console.log(JSON.stringify({ digests, found: search.found(), milliseconds: (user + system) / 1000 }));
