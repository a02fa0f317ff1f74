/**
 * SHA-256 (FIPS 180-4) of a text in UTF-8. Browsers only have the asynchronous `crypto.subtle`, but verdicts are
 * synchronous; libraries add several times as much to a bundle for features not needed here.
 */

// Available in every runtime, but not part of the language standard.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
// Node; looked up at run time, because an import would not load in a browser.
declare const process: { getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined } | undefined;

interface NodeCrypto {
  readonly hash?: (algorithm: 'sha256', text: string) => string;
}

const nodeHash = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:crypto')?.hash;

const encoder = new TextEncoder();
const BLOCK = 64;
const ROUNDS = 64;

type Words = [number, number, number, number, number, number, number, number];

const initial = Int32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));
const constants = Int32Array.from(firstPrimes(ROUNDS), (prime) => fraction(Math.cbrt(prime)));
/** The words of the current block, and the message schedule derived from them. */
const words = new Int32Array(ROUNDS);

/** The first `digits` of the 64 hexadecimal digits of the hash. */
export function sha256(text: string, digits: number): string {
  return nodeHash === undefined ? portableSha256(text, digits) : nodeHash('sha256', text).slice(0, digits);
}

/** Like {@link sha256}, 64 digits; equal only for equal texts, even if they are not well-formed. */
export function sha256OfUnits(text: string): string {
  // UTF-8 would turn every lone surrogate into U+FFFD. Only text outside JSON strings has unescaped ones.
  return sha256(text.isWellFormed() ? text : JSON.stringify(text), 64);
}

/** The text itself, or its SHA-256 if that is shorter: equal exactly when the texts are. */
export function fingerprint(text: string): string {
  return text.length <= 64 ? text : `#${sha256OfUnits(text)}`;
}

/** {@link sha256} without the platform. */
export function portableSha256(text: string, digits: number): string {
  const blocks = paddedBlocks(encoder.encode(text));
  const state = initial.slice();
  for (let at = 0; at < blocks.byteLength; at += BLOCK) addBlock(state, blocks, at);
  return Array.from(state, hexOf).join('').slice(0, digits);
}

/** The bytes, a set bit, zeros to the end of a block, and the length in bits in its last 8 bytes. */
function paddedBlocks(bytes: Uint8Array): DataView {
  const { length } = bytes;
  const blocks = new Uint8Array(Math.ceil((length + 9) / BLOCK) * BLOCK);
  blocks.set(bytes);
  blocks[length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, length / 2 ** 29);
  view.setUint32(blocks.length - 4, length << 3);
  return view;
}

function addBlock(state: Int32Array, blocks: DataView, at: number): void {
  for (let i = 0; i < 16; i += 1) words[i] = blocks.getInt32(at + i * 4);
  for (let i = 16; i < ROUNDS; i += 1) {
    const early = words[i - 15] as number;
    const late = words[i - 2] as number;
    const sum0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sum1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[i] = (words[i - 16] as number) + sum0 + (words[i - 7] as number) + sum1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Words;
  for (let i = 0; i < ROUNDS; i += 1) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const part1 = (h + sum1 + choice + (constants[i] as number) + (words[i] as number)) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + part1) | 0;
    d = c;
    c = b;
    b = a;
    a = (part1 + sum0 + majority) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word;
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/**
 * The first 32 bits after the binary point; a double has 18 more, so rounding differences between engines do not
 * matter.
 */
function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}
