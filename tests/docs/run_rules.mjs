// run_rules.mjs FOLDER: play games by the module of a game's rules; prints what it tells after every move.
import { readFileSync } from "node:fs";

import { open } from "../../src/stratagem/web/static/wasm.js";

const folder = process.argv[2];
const { manifest, games } = JSON.parse(readFileSync(`${folder}/asked.json`, "utf8"));
const { call, arrays } = await open(await WebAssembly.compile(readFileSync(`${folder}/module.wasm`)), manifest);
const start = arrays.s.slice();
const rows = games.map((moves) => {
  arrays.s.set(start);
  return [-1, ...moves].map((m) => {
    const count = call({ m: BigInt(m) });
    const listed = [...arrays.listed.subarray(0, Math.max(count, 0))].map(Number);
    return [count, Number(arrays.who[0]), listed, [...arrays.held].map(Number), [...arrays.out]];
  });
});
console.log(JSON.stringify(rows));
