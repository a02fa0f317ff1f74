import type { AgentEvent } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PureVerdict } from '../../src/index.ts';
import { analyzer, anySession, call, configs, loopyText, run, runReloading, text } from '../sessions.ts';

describe.each(configs.map((config, i) => ({ config, i })))('configuration $i', ({ config, i }) => {
  test('splitting a text differently changes neither the verdicts nor their positions', () => {
    let verdicts = 0;
    const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(loopyText, cuts, (whole, sizes) => {
        const pieces: AgentEvent[] = [];
        for (let at = 0, n = 0; at < whole.length; n += 1) {
          const size = sizes[n % sizes.length] ?? 1;
          pieces.push(text(whole.slice(at, at + size)));
          at += size;
        }
        const expected = run([text(whole)], config).map(essence);
        expect(run(pieces, config).map(essence)).toEqual(expected);
        verdicts += expected.length;
      }),
      { seed: 10 + i, numRuns: 300 },
    );
    expect(verdicts > 100).toBe(config.preset !== 'proxy');
  });

  test('a snapshot before any event changes nothing', () => {
    let verdicts = 0;
    fc.assert(
      fc.property(anySession, fc.integer({ min: 1, max: 7 }), (events, every) => {
        const expected = run(events, config);
        expect(runReloading(events, (n) => n % every === 0, config)).toEqual(expected);
        verdicts += expected.length;
      }),
      { seed: 20 + i, numRuns: 150 },
    );
    expect(verdicts).toBeGreaterThan(100);
  });

  test('interleaved sessions change nothing', () => {
    fc.assert(
      fc.property(fc.array(anySession, { minLength: 2, maxLength: 3 }), (sessions) => {
        const analyzers = sessions.map(() => analyzer(config));
        const verdicts = sessions.map((): PureVerdict[] => []);
        for (let n = 0; n < Math.max(...sessions.map(({ length }) => length)); n += 1) {
          sessions.forEach((events, s) => {
            const event = events[n];
            if (event !== undefined) verdicts[s]?.push(...(analyzers[s]?.push(event).verdicts ?? []));
          });
        }
        expect(verdicts).toEqual(sessions.map((events) => run(events, config)));
      }),
      { seed: 30 + i, numRuns: 50 },
    );
  });
});

/** What must not depend on how a text was cut. */
function essence({ phase, detector, action, outcome, count, reason, guidance, evidence, cost }: PureVerdict) {
  return { phase, detector, action, outcome, count, reason, guidance, evidence, turns: cost.turns };
}

describe('no verdict for', () => {
  test('unique calls with unique results', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 60 }), (values) => {
        const events = values.flatMap((value, n): AgentEvent[] => [
          call('read', { path: value }),
          { type: 'tool_result', result: `${String(n)} ${value}` },
        ]);
        expect(run(events)).toEqual([]);
      }),
      { seed: 40, numRuns: 200 },
    );
  });

  test('an answer of consecutive numbers', () => {
    const words = Array.from({ length: 3000 }, (_, n) => `${(n * 7919).toString(36)} `);
    expect(run(words.map(text))).toEqual([]);
  });
});

describe('hostile events', () => {
  const cyclic: Record<string, unknown> = { a: 1 };
  cyclic['self'] = cyclic;
  const deep = JSON.parse(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`) as Record<string, unknown>;
  const hostileArguments: (Record<string, unknown> | string)[] = [
    deep,
    '['.repeat(10_000),
    cyclic,
    JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Record<string, unknown>,
    { lone: '\ud800\udc00\ud800' },
    '\ud800',
    { nan: Number.NaN, huge: 10n ** 30n, fn: () => 1, symbol: Symbol('s'), none: undefined },
    'x'.repeat(1_000_000),
    { text: '\u0000'.repeat(100_000) },
    { emoji: '😀'.repeat(50_000) },
    Object.create(null) as Record<string, unknown>,
  ];
  const hostileTexts = [
    '\ud800',
    '\u0000',
    '\uffff',
    '',
    '\r\n',
    '`',
    '-',
    '😀',
    '\u2500',
    'a'.repeat(70_000),
  ];
  const hostile = fc.oneof(
    fc.constantFrom(...hostileTexts).map((part) => [text(part.repeat(part.length > 9 ? 1 : 600))]),
    fc
      .record({
        args: fc.constantFrom(...hostileArguments),
        name: fc.constantFrom('', '__proto__', 'a\nb', '\ud800'),
      })
      .map(({ args, name }) => [1, 2, 3, 4, 5, 6].map(() => call(name, args))),
    fc.string({ unit: 'binary', maxLength: 300 }).map((part) => [text(part.repeat(20))]),
    fc.constantFrom<AgentEvent[]>(
      [{ type: '__proto__' }],
      [{ type: 'control', set: { __proto__: 1, 'a.__proto__.b': 2 } }],
      [{ type: 'turn_started', time: 'no time' }],
      [{ type: 'turn_started', time: Number.NaN }],
      [{ type: 'turn_started', time: -1e300 }],
    ),
  );

  test.each(configs.map((config, i) => ({ config, i })))(
    'never make configuration $i throw',
    ({ config, i }) => {
      let verdicts = 0;
      fc.assert(
        fc.property(fc.array(hostile, { maxLength: 6 }), (parts) => {
          for (const verdict of run(parts.flat(), config)) {
            verdicts += 1;
            const bytes = Buffer.byteLength(JSON.stringify(verdict.evidence));
            expect(bytes).toBeLessThanOrEqual(32 * 1024);
          }
        }),
        { seed: 50 + i, numRuns: 60 },
      );
      expect(verdicts).toBeGreaterThan(10);
    },
  );
});
