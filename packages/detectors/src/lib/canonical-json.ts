import { jsonFrom } from '@loopwatch/contract';

/**
 * Canonical JSON per RFC 8785: keys sorted by UTF-16 code units, numbers as ECMAScript prints them, no white space.
 * Two values have the same canonical form exactly when JSON cannot tell them apart.
 *
 * It uses an explicit stack, so that arguments nested thousands of levels deep cannot overflow the call stack, and
 * accepts any value: one without a JSON form gets a form that no JSON has.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  // Joined at the end: a string built by concatenation takes twice the memory.
  const out: string[] = [];
  const stack: Frame[] = [enter(value)];
  const ancestors = new Set<object>();
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === 0) out.push(frame.keys === undefined ? '[' : '{');
    if (frame.next === frame.size) {
      out.push(frame.keys === undefined ? ']' : '}');
      ancestors.delete(frame.container);
      stack.pop();
      continue;
    }
    const key = frame.keys?.[frame.next];
    if (frame.next > 0) out.push(',');
    if (key !== undefined) out.push(JSON.stringify(key), ':');
    const child: unknown = frame.container[key ?? frame.next];
    frame.next += 1;
    if (typeof child !== 'object' || child === null) {
      out.push(scalar(child));
      continue;
    }
    // Parsed JSON has no cycles, but a caller's objects may.
    ancestors.add(frame.container);
    if (ancestors.has(child)) out.push('<cycle>');
    else stack.push(enter(child));
  }
  return out.join('');
}

interface Frame {
  readonly container: Record<string | number, unknown>;
  /** Sorted keys of an object, `undefined` for an array. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  next: number;
}

function enter(container: object): Frame {
  const indexed = container as Record<string | number, unknown>;
  if (Array.isArray(container))
    return { container: indexed, keys: undefined, size: container.length, next: 0 };
  const keys = Object.keys(container).filter((key) => indexed[key] !== undefined);
  if (keys.length > 1) keys.sort();
  return { container: indexed, keys, size: keys.length, next: 0 };
}

function scalar(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `${value}n`;
    case 'function':
    case 'symbol':
    case 'undefined':
      return `<${typeof value}>`;
    default:
      return String(value);
  }
}

/**
 * The canonical text of a call's arguments: a JSON string is parsed first, any other string is only trimmed; missing
 * arguments, `""` and `{}` are equal.
 */
export function canonicalArguments(args: unknown): string {
  const text = typeof args === 'string' ? args.trim() : undefined;
  const value = text === undefined ? args : jsonFrom(text);
  if (value === undefined) return text || '{}';
  return value === null ? '{}' : canonicalJson(value);
}
