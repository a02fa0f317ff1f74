import type { DetectionInput } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls, type LogLine, records, startWorker } from './fakes.ts';

/** What the worker says of these events. */
async function said(
  events: readonly unknown[],
  detection: DetectionInput,
  level?: string,
): Promise<LogLine[]> {
  const { log, lines } = await startWorker(detection, level);
  await log.deliver(records(0, events));
  return lines;
}

const texts = (lines: readonly LogLine[]) => lines.map(({ level, msg }) => `${level.toUpperCase()} ${msg}`);

const searches = [0, 60, 120, 150].map((seconds) => ({
  sessionId: 's-2',
  type: 'tool_call_request',
  name: 'search_web',
  args: { query: 'typescript event loops' },
  time: seconds * 1000,
}));

describe('the lines of a tool loop', () => {
  it('name session, tool, repeats, window, model, backend, action and the signature’s first 50 characters', async () => {
    const args = { path: 'src/checkout/rounding-of-totals.ts', encoding: 'utf8' };
    const events = calls(4, { args, model: 'gpt-5-mini', backend: 'openai', time: 0 });
    expect(texts(await said(events, { preset: 'proxy' }, 'warn'))).toEqual([
      'WARN Tool call loop detected in session s-1: tool=read_file, repeats=4/4, window=120s, model=gpt-5-mini, ' +
        'backend=openai, action=block, signature=read_file:{"encoding":"utf8","path":"src/checkout/...',
      "WARN Tool call loop detection: Blocked tool 'read_file' - 4 similar calls in 0 seconds",
    ]);
  });

  it('say what is not known', async () => {
    const [line] = await said(calls(5), { preset: 'stream' }, 'warn');
    expect(line?.msg).toBe(
      'Tool call loop detected in session s-1: tool=read_file, repeats=5/5, window=none, model=unknown, ' +
        'backend=unknown, action=block, signature=read_file:{"path":"a"}...',
    );
  });

  it('tell a warning at INFO and a block at WARNING, with calls and seconds', async () => {
    const lines = await said(searches, { preset: 'general' }, 'info');
    const loop = 'Tool call loop detected in session s-2: tool=search_web';
    const signature = 'signature=search_web:{"query":"typescript event loops"}...';
    const common = 'window=300s, model=unknown, backend=unknown';
    expect(texts(lines)).toEqual([
      `WARN ${loop}, repeats=3/3, ${common}, action=chance, ${signature}`,
      "INFO Tool call loop detection: Warning issued for tool 'search_web' - 3 similar calls in 120 seconds",
      `WARN ${loop}, repeats=4/3, ${common}, action=block, ${signature}`,
      "WARN Tool call loop detection: Blocked tool 'search_web' - 4 similar calls in 150 seconds",
    ]);
  });

  it('come again with each escalation, and end with one at INFO', async () => {
    const events = [...calls(8), ...calls(1, { name: 'write_file' })];
    const lines = await said(events, { tool_call_loop: { max_repeats: 2, mode: 'warn' } }, 'info');
    expect(texts(lines).map((text) => /^\w+ .*? (?:session|tool)\b|repeats=\d+/g.exec(text)?.[0])).toEqual(
      Array(3)
        .fill([
          'WARN Tool call loop detected in session',
          'INFO Tool call loop detection: Warning issued for tool',
        ])
        .flat()
        .concat('INFO Loop resolved in session'),
    );
    expect(lines.at(-1)).toMatchObject({
      outcome: 'recovered',
      msg: 'Loop resolved in session s-1: read_file had been called 8 times with the same arguments; a different call followed',
    });
  });

  it('carry fields for machines', async () => {
    const [line] = await said(calls(5), { preset: 'stream' }, 'warn');
    expect(line).toMatchObject({
      sessionId: 's-1',
      incidentId: expect.stringMatching(/^i-[0-9a-f]{32}$/),
      detector: 'tool-repeat',
      phase: 'opened',
      action: 'block',
      count: 5,
    });
  });

  it('show the whole signature and the arguments at DEBUG only', async () => {
    const args = { path: 'p'.repeat(100), last: 'the end of it' };
    const lines = await said(calls(5, { args }), { preset: 'stream' }, 'debug');
    const whole = `read_file:${JSON.stringify({ last: args.last, path: args.path })}`;
    expect(lines.filter(({ signature }) => signature === whole).map(({ level }) => level)).toEqual(['debug']);
    expect(lines.find(({ level }) => level === 'debug')).toHaveProperty('evidence.calls');
    for (const line of lines) {
      if (line.level === 'debug') continue;
      expect(JSON.stringify(line)).not.toContain('p'.repeat(40));
      expect(line).not.toHaveProperty('evidence');
    }
  });

  it.each([
    ['a key by its shape', { anything: 'sk-abcdefghijklmnopqrstuvwxyz012345' }, 'abcdefghijklmnop'],
    ['a value by its name', { password: 'correct horse battery' }, 'correct horse'],
    ['a password in a URL', { url: 'https://me:hunter2hunter2@example.org/' }, 'hunter2'],
  ])('never show %s, not even at DEBUG', async (_, args, secret) => {
    const lines = await said(calls(5, { args }), { preset: 'stream' }, 'debug');
    expect(lines.length).toBeGreaterThan(2);
    expect(JSON.stringify(lines)).toContain('‹masked›');
    expect(JSON.stringify(lines)).not.toContain(secret);
  });
});

describe('the line of a text loop', () => {
  it('quotes what repeats', async () => {
    const events = [{ sessionId: 's-3', type: 'content', text: 'I will try that once more. '.repeat(20) }];
    const [line, ...more] = await said(events, { preset: 'stream' }, 'info');
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'warn', detector: 'content-repeat' });
    expect(line?.msg).toMatch(
      /^Loop detected in session s-3: “.*I will try.*” repeats every 27 .*, action=block$/,
    );
  });
});

describe('the lines of what is no loop', () => {
  const step = (result: string) => [
    ...calls(1, { name: 'fetch' }),
    { sessionId: 's-1', type: 'tool_result', result },
  ];
  const away = step('HTTP 503 Service Unavailable');
  const turn = { sessionId: 's-4', type: 'turn_started' };

  it.each<[string, unknown[], DetectionInput, string[]]>([
    [
      'an outage is not called a loop of its calls',
      [...away, ...away, ...away, ...step('12 rows')],
      { preset: 'balanced' },
      [
        'WARN Outage detected in session s-1: 3 steps in a row failed with timeouts, rate limits or server errors, the last of them fetch {"path":"a"}: “HTTP 503 Service Unavailable”, action=warn',
        'INFO Outage resolved in session s-1: 3 steps in a row failed with timeouts, rate limits or server errors, the last of them fetch {"path":"a"}: “HTTP 503 Service Unavailable”; a call got through, or something else was tried',
      ],
    ],
    [
      'nor is a limit',
      [turn, turn, { sessionId: 's-4', type: 'session_ended' }],
      { preset: 'stream', turn_requests: { max_turn_requests: 1 } },
      [
        'WARN Session s-4 exceeded max turn requests (2/1)',
        'WARN Limit detected in session s-4: The model was asked 2 times in one prompt; the limit is 1, action=block',
        'INFO Limit resolved in session s-4: The model had been asked 2 times; the prompt or session ended',
      ],
    ],
  ])('%s', async (_, events, detection, expected) => {
    expect(texts(await said(events, detection, 'info')).toSorted()).toEqual(expected.toSorted());
  });
});

describe('text from outside', () => {
  /** What a terminal or a log reader would take for more than text. */
  const control = /[\p{Cc}\u2028\u2029]/u;
  const hostile = 'x\nERROR forged\r\n\u2028WARN\u2029\u0085\u001b[31mred\u0000';

  it.each<[string, unknown[]]>([
    ['session', calls(2, { sessionId: hostile })],
    ['tool', calls(2, { name: hostile })],
    ['model', calls(2, { model: hostile })],
    ['backend', calls(2, { backend: hostile })],
    ['argument', calls(2, { args: hostile })],
    ['session of a text', [{ sessionId: hostile, type: 'content', text: 'on and on and '.repeat(50) }]],
    [
      'resolved session',
      [...calls(2, { sessionId: hostile }), { sessionId: hostile, type: 'session_ended' }],
    ],
    ['resolved tool', [...calls(2, { name: hostile }), ...calls(1)]],
    ['setting', [{ sessionId: 's', type: 'control', set: { [hostile]: 1 } }]],
    ['session of a setting', [{ sessionId: hostile, type: 'control', set: { unheard_of: 1 } }]],
    ['setting’s value', [{ sessionId: 's', type: 'control', set: { preset: hostile } }]],
    ['bad record', [hostile]],
  ])('cannot forge a line: %s', async (_, events) => {
    const lines = await said(events, { tool_call_loop: { max_repeats: 2 } }, 'debug');
    expect(lines).not.toEqual([]);
    for (const { msg } of lines) expect(msg).not.toMatch(control);
  });

  it('cannot forge a line, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (name) => {
        const events = calls(3, { sessionId: name, name, model: name, backend: name, args: name });
        for (const { msg } of await said(events, { tool_call_loop: { max_repeats: 2 } })) {
          expect(msg).not.toMatch(control);
        }
      }),
      { numRuns: 50 },
    );
  });
});

it('the line of a rejected setting: masks what was written', async () => {
  const token = `ghp_${'a1B2c3D4'.repeat(4)}`;
  const events = [
    { sessionId: 's-1', type: 'control', set: { preset: `${token} of cust-123456` } },
    { sessionId: 's-1', type: 'prompt_started', text: `!/set(tool-loop-mode=${token})` },
    { sessionId: 's-1', type: 'control', set: { preset: `${'long '.repeat(13)}${token}` } },
  ];
  const lines = texts(await said(events, { privacy: { mask: ['cust-[0-9]+'] } }, 'warn'));
  expect(lines.map((line) => line.startsWith('WARN Rejected a setting of session s-1: '))).toEqual([
    true,
    true,
    true,
  ]);
  expect(lines.join('\n')).toContain('‹masked›');
  expect(lines.join('\n')).not.toMatch(/ghp_|cust-/);
});
