import type { Message } from 'kafkajs';
import type { Random } from '../chaos/random.ts';

const MB = 1_000_000;
const SESSIONS = 500;

/** A valid line of one of a few hundred sessions. */
export function soundLine(index: number, random: Random): string {
  const sessionId = `s-${String(random.between(0, SESSIONS - 1))}`;
  const common = { v: 1, id: `e-${String(index)}`, sessionId, time: 1_760_000_000_000 + index };
  const step = random.between(0, 9);
  if (step < 5)
    return JSON.stringify({ ...common, type: 'content', text: `Part ${String(index)} of an answer. ` });
  if (step < 8) {
    const args = { path: `file-${String(random.between(0, 40))}` };
    return JSON.stringify({ ...common, type: 'tool_call_request', name: 'read_file', args });
  }
  if (step < 9) return JSON.stringify({ ...common, type: 'tool_result', result: `row ${String(index)}` });
  return JSON.stringify({
    ...common,
    type: random.pick(['turn_started', 'prompt_started', 'retry', 'not_known']),
  });
}

type Mutation = (line: string, random: Random) => string;

/** Mutations of a line: corruption in transit, and invalid output of producers. No mutation adds a line feed. */
const mutations: readonly Mutation[] = [
  (line, random) => line.slice(0, random.between(0, line.length)),
  (line, random) => {
    const at = random.between(0, line.length - 1);
    return line.slice(0, at) + String.fromCharCode(random.between(32, 0xffff)) + line.slice(at + 1);
  },
  (line) => line + line,
  (line) => `[${line}]`,
  (line) => line.replace(/"sessionId":"[^"]*",/, ''),
  (line) => line.replace(/"text":"[^"]*"/, '"text":17'),
  (line) => line.replace(/"sessionId":"[^"]*"/, '"sessionId":{"a":1}'),
  (line) => line.replace(/"time":\d+/, '"time":1e999'),
  (line) => line.replace(/"time":(\d+)/, '"time":-$1'),
  (line) => line.replace(/"id":"[^"]*"/, '"id":"the-same"'),
  (line) => line.replace('{', '{"__proto__":{"type":"x"},"constructor":null,'),
  (line) => line.replace('{', '{"model":"\\ud800\\u0000\\u202e",'),
  (line, random) => line.replace('{', `{"tenant":"${'t'.repeat(random.between(900, 1_200))}",`),
  (line, random) => line.replace('{', `{"nested":${'['.repeat(random.between(900, 1_100))}1,`),
  (line, random) => {
    const levels = random.between(500, 1_500);
    return line.replace('{', `{"nested":${'['.repeat(levels)}${']'.repeat(levels)},`);
  },
  (line) => line.replace('{', `{"set":{"privacy.mask":["(a+)+$"],"enabled":false},`),
  (line, random) => line.replace('{', `{"more":"${'ab '.repeat(random.between(1, 20_000))}",`),
  () => 'null',
  () => '"text"',
  () => '{}',
];

/** Half of the lines are valid. */
export function mixedLine(index: number, random: Random): string {
  const line = soundLine(index, random);
  return random.chance(0.5) ? line : random.pick(mutations)(line, random);
}

/** A record with varying keys, values and headers; most contain the line. */
export function mixedRecord(index: number, random: Random): Message {
  const value = mixedLine(index, random);
  const key = `s-${String(random.between(0, SESSIONS - 1))}`;
  switch (random.between(0, 39)) {
    case 0:
      return { key, value: null };
    case 1:
      return { key: null, value };
    case 2:
      return { key: 'k'.repeat(random.between(1_000, 20_000)), value };
    case 3:
      return { key: Buffer.from([0xff, 0xfe, random.between(0, 255)]), value };
    case 4:
      return { key, value, headers: { __proto__: 'x', '': 'y', constructor: 'z', traceparent: '\u0000' } };
    case 5: {
      const headers = Array.from({ length: random.between(1, 500) }, (_, i) => [`h-${String(i)}`, 'v']);
      return { key, value, headers: Object.fromEntries(headers) as Record<string, string> };
    }
    case 6:
      return { key, value: Buffer.from(Array.from({ length: 50 }, () => random.between(0, 255))) };
    default:
      return { key, value };
  }
}

/** Compression bombs: each record takes a batch of its own. */
export const heavyRecords: readonly (() => Message)[] = [
  () => ({ key: 'heavy', value: Buffer.alloc(300 * MB, 'x') }),
  () => ({ key: 'heavy', value: Buffer.alloc(20 * MB, 'x') }),
  () => ({ key: 'heavy', value: '['.repeat(2 * MB) + ']'.repeat(2 * MB) }),
  // kafkajs takes minutes to find the partition of such a key.
  () => ({ key: Buffer.alloc(20 * MB, 'k'), value: 'no json', partition: 0 }),
  () => ({ key: 'heavy', value: 'no json', headers: { large: Buffer.alloc(20 * MB, 'h') } }),
  () => ({
    key: 'heavy',
    value: `{"sessionId":"heavy","type":"tool_result","result":[${'1,'.repeat(3 * MB)}1]}`,
  }),
  () => ({ key: 'heavy', value: `{"sessionId":"heavy","type":"content","text":"${'ab '.repeat(5 * MB)}"}` }),
];
