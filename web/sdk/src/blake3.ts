/** The hash function BLAKE3 without its keyed modes, and hexadecimal digits. A sixth of the size of a general library. */

const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
/** The order in which a round takes the words of the round before. */
const NEXT_WORD = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
/** Positions in the state that each of the eight steps of a round mixes: the columns, then the diagonals. */
const STEPS = [
  0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14,
];
const ROUNDS = 7;
const BLOCK = 64;
const CHUNK = 1024;
const [CHUNK_START, CHUNK_END, PARENT, ROOT] = [1, 2, 4, 8] as const;

/** For each round, the words of the block that each of its steps adds. */
const SCHEDULE: number[][] = [NEXT_WORD.map((_, at) => at)];
while (SCHEDULE.length < ROUNDS) SCHEDULE.push(NEXT_WORD.map((at) => SCHEDULE.at(-1)![at]!));

/** The last compression of a part of the input, whose flags depend on whether the part is all of it. */
interface Node {
  chaining: ArrayLike<number>;
  words: Uint32Array;
  counter: number;
  length: number;
  flags: number;
}

/** Returns the hash of bytes: 32 bytes. */
export function blake3(bytes: Uint8Array): Uint8Array {
  const root = nodeOf(bytes, 0);
  const words = compress({ ...root, flags: root.flags | ROOT });
  const hash = new DataView(new ArrayBuffer(32));
  words.forEach((word, at) => hash.setUint32(4 * at, word, true));
  return new Uint8Array(hash.buffer);
}

function nodeOf(bytes: Uint8Array, counter: number): Node {
  if (bytes.length <= CHUNK) return chunkNode(bytes, counter);
  // The left part is the largest power of two that leaves something for the right one.
  let left = CHUNK;
  while (2 * left < bytes.length) left *= 2;
  const words = new Uint32Array(16);
  words.set(compress(nodeOf(bytes.subarray(0, left), counter)));
  words.set(compress(nodeOf(bytes.subarray(left), counter + left / CHUNK)), 8);
  return { chaining: IV, words, counter: 0, length: BLOCK, flags: PARENT };
}

function chunkNode(bytes: Uint8Array, counter: number): Node {
  let chaining: ArrayLike<number> = IV;
  for (let start = 0; ; start += BLOCK) {
    const block = bytes.subarray(start, start + BLOCK);
    const isLast = start + BLOCK >= bytes.length;
    const flags = (start === 0 ? CHUNK_START : 0) | (isLast ? CHUNK_END : 0);
    const node = { chaining, words: littleEndian(block), counter, length: block.length, flags };
    if (isLast) return node;
    chaining = compress(node);
  }
}

function littleEndian(block: Uint8Array): Uint32Array {
  const words = new Uint32Array(16);
  block.forEach((byte, at) => (words[at >> 2]! |= byte << (8 * (at & 3))));
  return words;
}

function compress({ chaining, words, counter, length, flags }: Node): Uint32Array {
  const state = new Uint32Array(16);
  state.set(chaining);
  state.set(IV.slice(0, 4), 8);
  state.set([counter, counter / 2 ** 32, length, flags], 12);
  for (const order of SCHEDULE) {
    for (let step = 0; step < 8; step += 1) {
      const [a, b, c, d] = [STEPS[4 * step]!, STEPS[4 * step + 1]!, STEPS[4 * step + 2]!, STEPS[4 * step + 3]!];
      half(state, a, b, c, d, words[order[2 * step]!]!, 16, 12);
      half(state, a, b, c, d, words[order[2 * step + 1]!]!, 8, 7);
    }
  }
  return state.slice(0, 8).map((word, at) => word ^ state[at + 8]!);
}

/** Half of a step: adds a word of the block and mixes four words of the state. */
function half(
  v: Uint32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  word: number,
  one: number,
  two: number,
): void {
  v[a] = v[a]! + v[b]! + word;
  v[d] = rotated(v[d]! ^ v[a]!, one);
  v[c] = v[c]! + v[d]!;
  v[b] = rotated(v[b]! ^ v[c]!, two);
}

const rotated = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

export const utf8ToBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const bytesToHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export function hexToBytes(hex: string): Uint8Array {
  if (!/^([\da-f]{2})*$/i.test(hex)) throw new Error(`\`${hex}\` is not hexadecimal`);
  return Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}
