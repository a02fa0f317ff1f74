import { describe, expect, it } from 'vitest';
import { ResultFrames } from '../../src/results/result-frames.ts';
import { runReloading } from '../sessions.ts';
import { type ShortStep, said, times, turns } from '../steps.ts';

const hex = (n: number) => (Math.imul(n + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
const without = (text: string) => new ResultFrames().without(text, { name: 'read_page', said: '{}' });

/** What harnesses write around results, with what differs each time. */
const frames: readonly ((n: number, text: string, tool?: string) => string)[] = [
  (_, text) => `Observation: ${text}`,
  (n, text) => `Observation #${String(n)}: ${text}`,
  (n, text) => `Tool result (call_${hex(n)}):\n${text}`,
  (n, text) => `[${String(n)}] Tool output:\n${text}`,
  (n, text) => `=== Result of step ${String(n)} ===\n${text}`,
  (n, text) => `--- Output of action ${String(n)} ---\n\n${text}\n--- end of action ${String(n)} ---`,
  (n, text, tool = 'read_page') => `${tool} returned (iteration ${String(n)}): ${text}`,
  (_, text, tool = 'read_page') => `EXECUTION RESULT of [${tool}]:\n${text}`,
  (n, text) => `run ${hex(n)}…\n${text}`,
  (n, text) => `attempt ${String(n)} finished in ${String(n)}.2 s\n${text}`,
  (n, text) => `[Executed in ${String(100 + n)}ms]\n${text}`,
  (n, text) => `(exit code: 0, took ${String(n)}.2s) ${text}`,
  (n, text) => `${text}\n(exit 0 in ${String(n)} ms)`,
  (n, text) => `${text}\n\n[Command completed in 0.${String(n)} seconds]`,
  (n, text) => `### Tool call ${String(n)}\n\`\`\`\n${text}\n\`\`\``,
  (n, text) => `seq: ${String(n)}\noutput: |\n  ${text}`,
  (n, text) => `---\ncall: ${String(n)}\n---\n${text}`,
];

describe('the frame around a result', () => {
  it.each(frames.map((frame) => [JSON.stringify(frame(1, '…')), frame] as const))(
    '%s: hides neither an error, nor a receipt, nor a loop',
    (_, frame) => {
      const failing = (n: number): ShortStep => [
        'read_page',
        frame(n, 'Invalid action!'),
        { page: `p${String(n)}` },
      ];
      expect(said(turns(...Array.from({ length: 6 }, (__, n) => failing(n))))[0]).toBe(
        'stagnation/same-error opened chance 5',
      );
      const receipt = (n: number): ShortStep => [
        'apply_filter',
        frame(n, 'ok', 'apply_filter'),
        { name: 'sepia' },
      ];
      expect(said(turns(...Array.from({ length: 4 }, (__, n) => receipt(n))))).toEqual([
        'tool-repeat opened chance 4',
      ]);
      const repeated = (n: number): ShortStep => [
        'read_page',
        frame(n, 'The gate is locked, the lamp is off.'),
      ];
      expect(said(turns(...Array.from({ length: 3 }, (__, n) => repeated(n))))).toEqual([
        'tool-repeat opened chance 3',
      ]);
    },
  );

  it.each([
    'Result: the train leaves at noon',
    'Result 42',
    'three pages\n[1.3s]',
    'the fastest run\n(best time: 1.3s)',
    'no such file\n(exit 1 in 12 ms)',
    '2 results:\na house',
    'Step 7\nit goes on',
    'it goes on\n(step 7 of 200)',
    '[3/90] Tool output:\nit goes on',
    '{"output": 4}',
    'page 3\nthe end',
    'No results\nTry another word.',
  ])('%s: is what the tool says', (text) => {
    expect(without(text)).toBe(text);
  });
});

describe('a frame in words of its own', () => {
  const shapes: readonly (readonly [string, (n: number, text: string) => string])[] = [
    ['a heading', (n, text) => `== Ergebnis Nr. ${String(n)} ==\n${text}`],
    ['a prefix', (n, text) => `#${String(n)} | ${text}`],
    ['a last line', (n, text) => `${text}\n(step ${String(n)} of 200)`],
  ];
  const page = 'The gate is locked, and the lamp is off.';
  const others: ShortStep[] = [
    ['list_rooms', 'a hall, a kitchen'],
    ['get_owner', 'It belongs to Ida.'],
    ['count_doors', 'There are nine doors in it.'],
  ];
  const framed = (steps: readonly ShortStep[], frame: (n: number, text: string) => string) =>
    turns(...steps.map(([name, text], n): ShortStep => [name as string, frame(n + 5, text as string)]));

  it.each(shapes)('is learned from the results of several tools: %s', (_, frame) => {
    const events = framed([...others, ...times(3, ['read_page', page])], frame);
    expect(said(events)).toEqual(['tool-repeat opened chance 3']);
    const reloaded = runReloading(events, () => true, { preset: 'balanced' });
    expect(reloaded.map(({ detector }) => detector)).toEqual(['tool-repeat']);
  });

  it.each(shapes)('is an answer where only one tool writes it: %s', (_, frame) => {
    const own = Array.from({ length: 9 }, (__, n): ShortStep => ['build', frame(n, page)]);
    const steps = own.flatMap((step, n): ShortStep[] =>
      n % 3 === 0 ? [...others.slice(0, 1), step] : [step],
    );
    expect(said(turns(...steps))).toEqual([]);
  });

  it('is an answer where it counts down, or tells what has failed', () => {
    for (const frame of [
      (n: number, text: string) => `${text}\n(${String(40 - n)} letters to send)`,
      (n: number, text: string) => `${text}\n${String(n)} tests passed`,
    ])
      expect(said(framed([...others, ...times(9, ['read_page', page])], frame))).toEqual([]);
  });
});
