import { describe, expect, it } from 'vitest';
import { agentKnowledge } from '../../src/agents/agent-knowledge.ts';
import { normalizeResult } from '../../src/results/normalize-result.ts';
import { unwrapped } from '../../src/results/unwrap-result.ts';
import { type ShortStep, said, turns } from '../steps.ts';

const agents = agentKnowledge({});
const read = (result: unknown, isError?: boolean) => {
  const { shown, ...normal } = normalizeResult(result, isError, { name: 'read_page', said: '{}' }, agents);
  return normal;
};

const wrappers: readonly (readonly [name: string, wrap: (text: string) => unknown])[] = [
  ['MCP', (text) => ({ content: [{ type: 'text', text }] })],
  ['MCP with a flag', (text) => ({ isError: false, content: [{ type: 'text', text, annotations: null }] })],
  ['MCP with metadata', (text) => ({ content: [{ type: 'text', text }], _meta: { took: text.length } })],
  [
    'MCP with structured content',
    (text) => ({ content: [{ text, type: 'text' }], structuredContent: { text } }),
  ],
  ['blocks', (text) => [{ type: 'text', text }]],
  ['an envelope', (text) => ({ id: `res_${String(text.length)}`, ok: true, output: text })],
  [
    'an envelope with metadata',
    (text) => ({ result: text, metadata: { exit_code: 0, duration_seconds: 0.4 }, error: null }),
  ],
  [
    'an envelope of a request',
    (text) => ({ status: 'success', data: text, request_id: `r-${String(text.length)}`, durationMs: 12 }),
  ],
  ['an envelope with usage', (text) => ({ message: text, usage: { total_tokens: text.length }, code: 200 })],
  [
    'JSON-RPC',
    (text) => ({ jsonrpc: '2.0', id: text.length, result: { content: [{ type: 'text', text }] } }),
  ],
  ['an envelope of an event', (text) => ({ event_id: `evt_${String(text.length)}f`, content: text })],
  ['an observation', (text) => ({ turn: text.length, observation: text })],
  ['a numbered envelope', (text) => ({ seq: text.length, tool: 'read_page', output: text })],
  [
    'a process',
    (text) => ({ stdout: text, stderr: '', exitCode: 0, durationMs: text.length, pid: 4_000 + text.length }),
  ],
  ['an envelope in another', (text) => ({ ok: true, data: { status: 'done', output: text } })],
  [
    'an HTTP response',
    (text) => ({
      status: 200,
      headers: { date: `Sat, 28 Nov 2026 14:00:${String(10 + (text.length % 50))} GMT`, etag: `"${text}"` },
      body: text,
    }),
  ],
  [
    'tags',
    (text) =>
      `<tool_response id="call_${String(text.length)}f" duration="12ms" is_error="false">\n${text}\n</tool_response>\n`,
  ],
  ['numbered tags', (text) => `<tool-reply n="${String(text.length)}" tool='read_page'>${text}</tool-reply>`],
  ['tags without attributes', (text) => `<output>${text}</output>`],
  ['colors', (text) => `\u001b[1;31m${text}\u001b[0m`],
];
const asJson = wrappers
  .filter(([, wrap]) => typeof wrap('') !== 'string')
  .map(([name, wrap]) => [`${name} as JSON`, (text: string) => JSON.stringify(wrap(text), null, 1)] as const);

describe.each([...wrappers, ...asJson])('a result in %s', (_, wrap) => {
  it.each([
    'done',
    'No results found',
    'Error: no such file "a.ts"',
    'Still running…',
    'Too many requests',
    'the museum opens at nine\non weekdays',
    '[2026-11-28T14:00:01Z] Invalid action!',
  ])('%s: is read like the text alone', (text) => {
    expect(read(wrap(text))).toEqual(read(text));
  });
});

describe('a wrapper', () => {
  it('says that the call failed', () => {
    const failed = { content: [{ type: 'text', text: 'the lake is frozen' }], isError: true };
    expect(read(failed).kind).toBe('error');
    expect(read(JSON.stringify(failed)).kind).toBe('error');
    expect(read(failed, false).kind).toBe('ok');
    expect(read('<result tool_use_id="toolu_1a" status="error">the lake is frozen</result>').kind).toBe(
      'error',
    );
  });

  it('of HTTP keeps the headers that say more than the body', () => {
    const headers = { date: 'Sat, 28 Nov 2026 14:00:10 GMT', link: '</rows?page=3>; rel="next"' };
    expect(unwrapped({ status: 200, headers, body: 'a' }).result).toEqual({
      status: 200,
      headers: { link: headers.link },
      body: 'a',
    });
    expect(unwrapped({ status: 404, headers: { 'x-request-id': '7f3a' }, body: 'a' }).result).toEqual({
      status: 404,
      body: 'a',
    });
  });

  it.each([
    [
      'a picture beside the text',
      [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'x' },
      ],
    ],
    ['more than MCP has', { content: [{ type: 'text', text: 'a' }], title: 'b' }],
    ['invalid JSON', '{"content":[{"type":"text","text":"a"'],
    ['a list of records', [{ type: 'file', text: 'a' }]],
    ['the status of a job', { status: 'running', output: 'a' }],
    ['a failure', { ok: false, output: 'a' }],
    ['an exit code', { exit_code: 1, output: 'a' }],
    ['the id of something made', { id: 17, ok: true, output: 'a' }],
    ['the id of an order', { order_id: 'ord_17', ok: true, output: 'a' }],
    ['two things to say', { output: 'a', message: 'b' }],
    ['a field of its own', { output: 'a', path: 'b' }],
    ['a date in words', { output: 'a', date: 'tomorrow' }],
    ['a number', { ok: true, result: 3 }],
    ['an id without a protocol', { id: 17, result: 'a' }],
    ['a turn in words', { turn: 'left', output: 'a' }],
    ['headers of a table', { headers: { a: 'left' }, rows: ['b'] }],
    ['a tag that says more', '<result count="3">a</result>'],
    ['text behind a tag', '<result>a</result> b'],
    ['a list of tags', '<result id="call_1">a</result>\n<result id="call_2">b</result>'],
    ['nothing at all', null],
  ])('with %s: is left as it is', (_, result) => {
    expect(unwrapped(result)).toEqual({ result });
  });
});

describe('a loop', () => {
  const page = 'the page says nothing about the opening hours';
  const first = (step: (n: number) => ShortStep) =>
    said(turns(...Array.from({ length: 5 }, (_, n) => step(n))))[0];

  it.each([
    ['_meta', (n: number) => ({ progressToken: n })],
    ['idempotency_key', (n: number) => `k-${String(n * 7919)}`],
    ['clientToken', (n: number) => `t-${String(n * 7919)}`],
    ['toolSummary', (n: number) => ['Look', 'View it', 'Read on', 'The page', 'Hours'][n]],
    ['toolCallId', (n: number) => `toolu_${String(n)}`],
    ['traceparent', (n: number) => `00-4bf92f3577b34da6-${String(n)}`],
  ] as const)('is seen although %s differs in each call', (name, value) => {
    expect(first((n) => ['read_page', page, { page: 'home', [name]: value(n) }])).toBe(
      'tool-repeat opened chance 3',
    );
  });

  it('is seen although what is left out is null in some calls', () => {
    const args = (n: number) => ({ page: 'home', ...(n % 2 === 0 && { limit: null }) });
    expect(first((n) => ['read_page', page, args(n)])).toBe('tool-repeat opened chance 3');
    expect(first((n) => ['read_page', page, { page: 'home', limit: n }])).not.toBe(
      'tool-repeat opened chance 3',
    );
  });

  it.each(['thought', 'reason', 'description'])(
    'is seen although %s explains each command in other words',
    (name) => {
      const words = ['now', 'still', 'again', 'then', 'so'];
      expect(
        first((n) => ['exec', page, { command: 'make pages', [name]: `${words[n] ?? ''} unsure` }]),
      ).toBe('tool-repeat opened chance 3');
    },
  );

  it('is seen although each look has another thought, and all else is null', () => {
    const thoughts = ['Further down', 'The rest of it', 'Perhaps below', 'One more look'];
    expect(first((n) => ['scroll_down', page, { amount: null, thought: thoughts[n % 4] }])).toBe(
      first(() => ['scroll_down', page, { amount: null }]),
    );
  });

  it('is seen although each command may run for another time', () => {
    expect(first((n) => ['exec', page, { command: 'make pages', timeout_ms: 1_000 * (n + 1) }])).toBe(
      'tool-repeat opened chance 3',
    );
  });

  it.each(['reason', 'thought', 'explanation', 'timeout_ms', 'timeoutSeconds'])(
    'is seen although %s differs in each call that looks something up',
    (name) => {
      const because = (n: number) =>
        name.startsWith('timeout') ? 10 * n : `${['now', 'still', 'again', 'then', 'so'][n] ?? ''} unsure`;
      expect(first((n) => ['read_page', page, { page: 'home', [name]: because(n) }])).toBe(
        'tool-repeat opened chance 3',
      );
      // With a tool that notes, hands over or changes something, or alone, the words are what the call is about.
      for (const tool of [
        'think',
        'transfer_to_sales',
        'book_room',
        'wait_for_page',
        'ask_colleague',
        'vote',
      ])
        expect(first((n) => [tool, page, { page: 'home', [name]: because(n) }])).not.toBe(
          'tool-repeat opened chance 3',
        );
      expect(first((n) => ['read_page', page, { [name]: because(n) }])).not.toBe(
        'tool-repeat opened chance 3',
      );
    },
  );

  it.each([
    ['a reminder', (n: number) => `<system-reminder>${String(90 - n)} of 99 uses are left</system-reminder>`],
    ['a budget', (n: number) => `[${String(90 - n)} steps remaining]`],
  ])('of failures with other numbers is seen although %s below them counts down', (_, reminder) => {
    const failure = (n: number) => `job ${String(48_211 + n * n)} failed: quota of the team is used up`;
    expect(first((n) => ['bash', `${failure(n)}\n\n${reminder(n)}`, { command: 'submit training' }])).toBe(
      'tool-repeat opened chance 5',
    );
  });

  it('is seen although a progress bar is overwritten', () => {
    const bar = (n: number) => `Loading ${String(n * 7)}%\rLoading ${String(n * 9 + 30)}%\rLoaded\r\n${page}`;
    expect(first((n) => ['read_page', bar(n), { page: 'home' }])).toBe('tool-repeat opened chance 3');
    expect(read('a\rb\rc')).not.toEqual(read('c'));
    expect(read('10%\r100%\nInvalid action!')).toEqual(read('Invalid action!'));
    expect(read('coverage 100%\nno gaps')).not.toEqual(read('no gaps'));
  });

  it('is seen although other parts of a result are left out', () => {
    const cut = (n: number) => [4_017, 4_009, 4_083, 4_055, 4_081][n] ?? 0;
    const left = (size: (n: number) => number) =>
      first((n) => ['read_page', `${page}\n... [${String(size(n))} characters truncated]`, { page: 'home' }]);
    expect(left(cut)).toBe('tool-repeat opened chance 5');
    // What grows, or is worked off, may bring something new.
    expect(left((n) => 4_000 + n)).toBeUndefined();
    expect(left((n) => 4_050 - n)).toBeUndefined();
    // So may what has quite another length, such as the next part of a page.
    expect(left((n) => [4_017, 2_998, 5_103, 2_055, 3_081][n] ?? 0)).toBeUndefined();
  });

  it('is seen although the harness numbers what it shows', () => {
    for (const stamp of [(n: number) => `Observation ${String(n)}: `, (n: number) => `[Turn ${String(n)}] `])
      expect(first((n) => ['read_page', stamp(n) + page, { page: 'home' }])).toBe(
        'tool-repeat opened chance 3',
      );
  });
});
