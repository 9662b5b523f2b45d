// A WebAssembly module of the compile service, opened: its arrays laid out as the manifest tells. In browsers and in Node.

/** An array of the module, or a number. `first` is base64, and zeros follow; `same` names an array whose memory it is.
 * @typedef {{ name: string, kind: string, value?: number | string, shape?: number[], first?: string, same?: string }} Field
 * @typedef {{ entry: string, fields: Field[] }} Manifest
 * @typedef {{ call: (changed?: Record<string, bigint | number>) => number, arrays: Record<string, any> }} Opened */

const PAGE = 65536;
const AT_FIRST = 64; // pages: more than any module's own data takes
const LINE = 64; // bytes: where arrays begin, as processors read memory

/** @type {Record<string, any>} */
const KINDS = {
  int64: BigInt64Array, uint64: BigUint64Array, float64: Float64Array, float32: Float32Array, int32: Int32Array, uint32: Uint32Array,
  int16: Int16Array, uint16: Uint16Array, int8: Int8Array, uint8: Uint8Array, bool: Uint8Array,
};

/** @param {number[]} shape */
const cells = (shape) => shape.reduce((a, b) => a * b, 1);

/** Open a compiled module. `call` runs its entry, with other numbers than the manifest's where some are given by their names.
 * @param {WebAssembly.Module} module  @param {Manifest} manifest  @returns {Promise<Opened>} */
export async function open(module, manifest) {
  const memory = new WebAssembly.Memory({ initial: AT_FIRST });
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  /** @type {any} */
  const { __heap_base: base, [manifest.entry]: entry } = exports;
  let end = base.value;
  /** @type {(bytes: number) => number} */
  const take = (bytes) => {
    const at = Math.ceil(end / LINE) * LINE;
    end = at + bytes;
    return at;
  };
  const result = take(8);
  /** @type {(number | bigint)[]} */
  const given = [result, take(8)]; // where the result goes, and what was raised
  /** @type {Record<string, number>} */
  const places = {};
  /** @type {Record<string, number>} */
  const numbers = {}; // by name: which argument it is
  for (const { name, kind, shape, same, value } of manifest.fields) {
    if (!KINDS[kind]) throw new Error(`${name} is of the kind ${kind}, which this page does not know`);
    if (!shape) {
      numbers[name] = given.length;
      given.push(kind === "float64" ? Number(value) : BigInt(value ?? 0));
      continue;
    }
    places[name] = same === undefined ? take(cells(shape) * KINDS[kind].BYTES_PER_ELEMENT) : places[same];
    given.push(places[name], ...shape.map(BigInt));
  }
  const lacking = Math.ceil(end / PAGE) - AT_FIRST;
  if (lacking > 0) memory.grow(lacking);
  /** @type {Record<string, any>} */
  const arrays = {};
  for (const { name, kind, shape, first } of manifest.fields) {
    if (!shape) continue;
    arrays[name] = new KINDS[kind](memory.buffer, places[name], cells(shape));
    if (first) new Uint8Array(memory.buffer, places[name]).set(Uint8Array.from(atob(first), (letter) => letter.charCodeAt(0)));
  }
  const answer = new DataView(memory.buffer);
  return {
    arrays,
    call(changed = {}) {
      const now = given.slice();
      for (const [name, value] of Object.entries(changed)) now[numbers[name]] = value;
      const status = entry(...now);
      if (status !== 0) throw new Error(`the search ended with the error ${status}`);
      return Number(answer.getBigInt64(result, true));
    },
  };
}
