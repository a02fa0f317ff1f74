import { analyzedByHeader, type DetectionInput } from '@loopwatch/contract';
import { SessionAnalyzer } from '@loopwatch/detectors/internal';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { logTurnRequest } from '../../src/report/detection-report.ts';
import { calls, type LogLine, metric, records, startWorker } from '../fakes.ts';

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

describe('log lines of a tool loop', () => {
  it('tool loop line: session, tool, repeats, window, model, backend, action, first 50 characters of the signature', async () => {
    const args = { path: 'src/checkout/rounding-of-totals.ts', encoding: 'utf8' };
    const events = calls(4, { args, model: 'gpt-5-mini', backend: 'openai', time: 0 });
    expect(texts(await said(events, { preset: 'proxy' }, 'warn'))).toEqual([
      'WARN Tool call loop detected in session s-1: tool=read_file, repeats=4/4, window=120s, model=gpt-5-mini, ' +
        'backend=openai, action=block, signature=read_file:{"encoding":"utf8","path":"src/checkout/...',
      "WARN Tool call loop detection: Blocked tool 'read_file' - 4 similar calls in 0 seconds",
    ]);
  });

  it('tool loop line: missing model, backend and window read unknown and none', async () => {
    const [line] = await said(calls(5), { preset: 'stream' }, 'warn');
    expect(line?.msg).toBe(
      'Tool call loop detected in session s-1: tool=read_file, repeats=5/5, window=none, model=unknown, ' +
        'backend=unknown, action=block, signature=read_file:{"path":"a"}...',
    );
  });

  it('tool loop lines: a warning at INFO and a block at WARNING, with calls and seconds', async () => {
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

  it.each([
    ['a chance', calls(3), 'INFO Tool call loop detection: Chance given for tool', '3 similar calls'],
    [
      'a block that no client enforces',
      calls(4),
      'WARN Tool call loop detection: Block verdict issued for tool',
      '4 similar calls',
    ],
  ])('tool loop lines, preset balanced: tell of %s', async (_, events, done, counted) => {
    const failing = events.flatMap((event) => [
      event,
      { sessionId: 's-1', type: 'tool_result', result: 'Error: no such file', isError: true },
    ]);
    const lines = texts(
      await said(failing, { preset: 'balanced', tool_call_loop: { max_repeats: 4 } }, 'info'),
    );
    expect(lines.filter((line) => line.includes('loop detection:')).at(-1)).toMatch(
      new RegExp(`^${done} 'read_file' - ${counted} in \\d+ seconds$`),
    );
  });

  it('tool loop lines: repeated at each escalation, resolved at INFO', async () => {
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
      msg: 'Loop resolved in session s-1: read_file was called 8 times with the same arguments; a different call followed',
    });
  });

  it('tool loop line: has structured fields', async () => {
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

  it('tool loop lines: full signature and arguments only at DEBUG', async () => {
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
  ])('log lines mask %s, even at DEBUG', async (_, args, secret) => {
    const lines = await said(calls(5, { args }), { preset: 'stream' }, 'debug');
    expect(lines.length).toBeGreaterThan(2);
    expect(JSON.stringify(lines)).toContain('‹masked›');
    expect(JSON.stringify(lines)).not.toContain(secret);
  });
});

describe('log line of a text loop', () => {
  it('text loop line: quotes the repeated text', async () => {
    const events = [{ sessionId: 's-3', type: 'content', text: 'I will try that once more. '.repeat(20) }];
    const [line, ...more] = await said(events, { preset: 'stream' }, 'info');
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'warn', detector: 'content-repeat' });
    expect(line?.msg).toMatch(
      /^Loop detected in session s-3: “.*I will try.*” appears 10 times in the answer, about every 27 characters, action=block$/,
    );
  });
});

describe('log lines of outages and limits', () => {
  const step = (result: string) => [
    ...calls(1, { name: 'fetch' }),
    { sessionId: 's-1', type: 'tool_result', result },
  ];
  const away = step('HTTP 503 Service Unavailable');
  const turn = { sessionId: 's-4', type: 'turn_started' };

  it.each<[string, unknown[], DetectionInput, string[]]>([
    [
      'an outage is logged as an outage, not as a loop',
      [...away, ...away, ...away, ...step('12 rows')],
      { preset: 'balanced' },
      [
        'WARN Outage detected in session s-1: 3 steps in a row failed with timeouts, rate limits or server errors, most recently fetch {"path":"a"}: “HTTP 503 Service Unavailable”, action=warn',
        'INFO Outage resolved in session s-1: 3 steps in a row failed with timeouts, rate limits or server errors, most recently fetch {"path":"a"}: “HTTP 503 Service Unavailable”; a call succeeded',
      ],
    ],
    [
      'a limit is logged as a limit, not as a loop',
      [turn, turn, { sessionId: 's-4', type: 'session_ended' }],
      { preset: 'stream', turn_requests: { max_turn_requests: 1 } },
      [
        'WARN Session s-4 exceeded max turn requests (2/1)',
        'WARN Limit detected in session s-4: 2 model requests in this prompt (limit 1), action=block',
        'INFO Limit resolved in session s-4: 2 model requests in this prompt (limit 1); the prompt or session ended',
      ],
    ],
  ])('%s', async (_, events, detection, expected) => {
    expect(texts(await said(events, detection, 'info')).toSorted()).toEqual(expected.toSorted());
  });
});

describe('untrusted text in log lines', () => {
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
  ])('log lines have no control characters: %s', async (_, events) => {
    const lines = await said(events, { tool_call_loop: { max_repeats: 2 } }, 'debug');
    expect(lines).not.toEqual([]);
    for (const { msg } of lines) expect(msg).not.toMatch(control);
  });

  it('log lines have no control characters, whatever the input', async () => {
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

it('rejected setting line: masks the value', async () => {
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

/** What is logged while a session makes its requests: level and line. */
function turnRequestLines(requests: number, allowed: number, session = 's-1'): string[] {
  const found: string[] = [];
  const level = (name: string) => vi.fn((_: object, line: string) => found.push(`${name} ${line}`));
  const logger = { debug: level('DEBUG'), warn: level('WARN') } as never;
  for (let number = 1; number <= requests; number += 1) logTurnRequest(logger, session, { number, allowed });
  return found;
}

describe('log lines of model requests', () => {
  it('model request lines: count each, warn two before the limit and when it is exceeded', () => {
    expect(turnRequestLines(6, 4)).toEqual([
      'DEBUG Turn request 1/4 for session s-1',
      'DEBUG Turn request 2/4 for session s-1',
      'WARN Approaching turn request limit for session s-1 (2/4)',
      'DEBUG Turn request 3/4 for session s-1',
      'DEBUG Turn request 4/4 for session s-1',
      'WARN Session s-1 exceeded max turn requests (5/4)',
    ]);
  });

  it.each([
    { allowed: 1, approaching: 0 },
    { allowed: 2, approaching: 0 },
    { allowed: 3, approaching: 1 },
    { allowed: 10, approaching: 1 },
  ])(
    'model request lines: a limit of $allowed is announced $approaching times',
    ({ allowed, approaching }) => {
      const near = turnRequestLines(allowed, allowed).filter((line) => line.startsWith('WARN Approaching'));
      expect(near).toHaveLength(approaching);
    },
  );

  it('model request lines: stay on one line, whatever the session id', () => {
    expect(turnRequestLines(1, 9, 's\nERROR forged')).toEqual([
      'DEBUG Turn request 1/9 for session s ERROR forged',
    ]);
  });
});

it('events judged by a gateway are counted and get no second verdict', async () => {
  const { log, registry, lines } = await startWorker({ preset: 'stream' }, 'warn');
  await log.deliver(records(0, calls(5), { headers: { [analyzedByHeader]: Buffer.from('gateway') } }));
  expect(log.verdicts).toEqual([]);
  expect(lines).toEqual([]);
  expect(await registry.metrics()).toContain('loopwatch_events_total{type="tool_call_request"} 5');
  await log.deliver(records(5, calls(5, { sessionId: 's-2' })));
  expect(log.verdicts).toHaveLength(1);
});

afterEach(() => void vi.restoreAllMocks());

it('a detection fault is logged at ERROR with its record, and counted', async () => {
  const { log, lines, registry } = await startWorker({}, 'info');
  vi.spyOn(SessionAnalyzer.prototype, 'push').mockImplementationOnce(() => {
    throw new Error('not thought of');
  });
  await expect(log.deliver(records(7, calls(2)))).rejects.toThrow('not thought of');
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    {
      msg: 'Processing partition 0 of test.events failed at offset 7. This is a bug: please report it.',
      offset: 7,
      err: { message: 'not thought of' },
    },
  ]);
  expect(await metric(registry, 'loopwatch_detection_faults_total')).toBe(1);
  expect(log.commits).toEqual([]);
});
