import { describe, expect, it } from 'vitest';
import { withoutStamp } from '../../src/results/leading-stamp.ts';
import { type ShortStep, said, turns } from '../steps.ts';

const hex = (n: number) => (Math.imul(n + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
const two = (n: number) => String(n % 60).padStart(2, '0');

/** What wrappers write in front of a result, with what differs each time. */
const stamps: readonly ((n: number) => string)[] = [
  (n) => `[2026-11-28T14:${two(n * 7)}:${two(n * 13)}.${String(100 + n)}Z] `,
  (n) => `2026-11-28 14:00:${two(n)},${String(500 + n)} - `,
  (n) => `2026-11-28T14:${two(n)}:00+01:00 `,
  (n) => `[14:00:${two(n)}] `,
  (n) => `Sat, 28 Nov 2026 14:03:${two(n)} GMT: `,
  (n) => `[${String(1_795_000_000 + n * 7)}.25] `,
  (n) => `[time: 2026-11-28 14:00:${two(n)}]\n`,
  (n) => `trace=${hex(n)}4f0a\n`,
  (n) => `request_id: ${hex(n)}-aa01-4bbb-8ccc-1234567890ab | `,
  (n) => `X-Request-Id: ${hex(n)}\n`,
  (n) => `[req-${hex(n)}1] `,
  (n) => `(trace ${hex(n)}1) `,
  (n) => `[worker-${String(n)}] `,
  (n) => `[turn ${String(n)}] `,
  (n) => `[planner-3 | 12:03:${two(n)}] `,
  (n) => `[host=10.0.0.${String(n)}] `,
  (n) =>
    `(node:${String(4_000 + n)}) ExperimentalWarning: SQLite is experimental\n(Use \`node --trace-warnings ...\` to show where the warning was created)\n`,
  (n) => `INFO 2026-11-28 14:00:${two(n)},${String(500 + n)} - `,
  (n) => `[INFO] 2026-11-28T14:00:${two(n)}Z tool.runner - `,
  (n) => `2026-11-28 14:00:${two(n)},${String(500 + n)} - tool.runner - INFO - `,
  (n) => `2026-11-28T14:00:${two(n)}Z | DEBUG | `,
  (n) => `2026-11-28 14:00:${two(n)} INFO tool.runner: `,
  (n) => `root@${hex(n)}4f0a:/srv/app# `,
  (n) =>
    `Debugger listening on ws://127.0.0.1:${String(30_000 + n)}/${hex(n)}\nFor help, see: https://nodejs.org/en/docs/inspector\n`,
  (n) => `[1] ${String(4_000 + n)}\n`,
  (n) => `Exit code: 0\nWall time: ${String(n)}.2 seconds\nOutput:\n`,
  (n) => `Chunk ID: ${hex(n)}\nWall time: 0.${String(n)} seconds\nProcess exited with code 0\nOutput:\n`,
  (n) => `Status: 0\nDuration: ${String(n)}.25s\n---\n`,
  () => 'Result:\n',
  (n) => `[14:00:${two(n)}] [req_${hex(n)}1] `,
  (n) => `HTTP/1.1 200 OK\r\ndate: Sat, 28 Nov 2026 14:03:${two(n)} GMT\r\nx-request-id: ${hex(n)}\r\n\r\n`,
];

describe('the stamp in front of a result', () => {
  it.each(stamps.map((stamp) => [JSON.stringify(stamp(1)), stamp] as const))(
    '%s: hides neither that the result is an error nor that it is the same',
    (_, stamp) => {
      expect(withoutStamp(`${stamp(3)}Invalid action!`)).toBe('Invalid action!');
      const texts = Array.from({ length: 6 }, (__, n) => `${stamp(n)}Invalid action!`);
      for (const framed of [
        (text: string) => text,
        (text: string) => ({ content: [{ type: 'text', text }] }),
      ]) {
        const steps = texts.map(
          (text, n): ShortStep => ['click', framed(text), { element: `button ${String(n)}` }],
        );
        expect(said(turns(...steps))[0]).toBe('stagnation/same-error opened chance 5');
      }
    },
  );

  it.each([
    '2026-11-28T14:00:01Z',
    '14:03:06',
    '2026-11-28',
    '12:30 the train leaves',
    '1795000000123 rows',
    '2026-11-28T14:00:01Z,12.5,13.5\n2026-11-28T14:01:01Z,1,2',
    'request for help',
    'request 1234 was refused',
    'trace 3 of 4',
    'trace: see below',
    '[1] the first item',
    '[1] 1984 by Orwell',
    'Exit code: 1\nWall time: 0.2 seconds\nOutput:\nno',
    'Duration: 3 days\nPrice: 40',
    '[took 1.3s]',
    'Result:',
    'Result: the train leaves at noon',
    'Result of the vote:\nno',
    '[1.3s] the fastest run',
    '(exit 1 in 12 ms) no such file',
    'INFO the server has started',
    'INFO 3 rows',
    'ann@example.org: the mail of the host',
    '[server error] try again',
    '(node:fs) is a module',
    'HTTP/1.1 503 Service Unavailable\nretry-after: 5\n\nbusy',
    'HTTP/1.1 200 OK\ncontent-length: 523\n\n',
  ])('%s: is what the tool says', (text) => {
    expect(withoutStamp(text)).toBe(text);
  });
});
