/** Numbers of objects that have no text, so that two of them never look the same. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** Of more bytes, the first and the last are shown: as JSON, an image would keep the agent waiting for seconds. */
const MAX_BYTES = 4_096;

/** The value as JSON would transfer it; what JSON cannot represent becomes a string. Never throws. */
export function plainValue(value: unknown): unknown {
  const around: unknown[] = [];
  try {
    const text = JSON.stringify(value, function (this: Record<string, unknown>, key, inner: unknown) {
      // A buffer's own JSON has all of its bytes.
      const bytes = bytesOf(this[key]);
      if (bytes !== undefined) return shownBytes(bytes);
      if (typeof inner === 'bigint' || typeof inner === 'symbol') return String(inner);
      if (typeof inner !== 'object' || inner === null) return inner;
      while (around.length > 0 && around.at(-1) !== this) around.pop();
      if (around.includes(inner)) return '[circular]';
      const shown = shownAs(inner);
      around.push(shown);
      return shown;
    }) as string | undefined;
    return text === undefined ? null : (JSON.parse(text) as unknown);
  } catch {
    return numbered(value as object);
  }
}

/** An object that JSON would show as empty, or by the state of a stream, as what it is instead. */
function shownAs(value: object): unknown {
  const type = Object.getPrototypeOf(value) as object | null;
  if (Array.isArray(value) || type === null || Object.getPrototypeOf(type) === null) return value;
  const { forEach, next, pipe } = value as Partial<Record<string, unknown>>;
  if (typeof pipe === 'function') return numbered(value);
  if (Object.keys(value).length > 0) return value;
  if (value instanceof Error || value instanceof RegExp) return String(value);
  // A map, a set, search parameters, headers or form data; iterating an iterator would use it up.
  const isCollection = typeof forEach === 'function' && typeof next !== 'function';
  return isCollection ? Array.from(value as Iterable<unknown>) : numbered(value);
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : undefined;
}

function shownBytes(bytes: Uint8Array): unknown {
  if (bytes.length <= MAX_BYTES) return Array.from(bytes);
  return [bytes.length, ...bytes.subarray(0, MAX_BYTES / 2), ...bytes.subarray(-MAX_BYTES / 2)];
}

function numbered(value: object): string {
  const number = numbers.get(value) ?? (lastNumber += 1);
  numbers.set(value, number);
  return `[object #${String(number)}]`;
}
