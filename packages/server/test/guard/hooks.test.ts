import type { HookAgent } from '@loopwatch/contract/api';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let clock: number;
let stored: () => Promise<void>;

beforeEach(async () => {
  clock = START;
  ({ url, log, server, stored } = await startServer({
    openDatabase: emptyDatabase,
    now: () => (clock += 1_000),
  }));
});

afterEach(() => server.stop());

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function send(path: string, body: unknown, method = 'POST'): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const recorded = () =>
  log.values(topics.events) as { type: string; sessionId: string; callId?: string; result?: unknown }[];

/** A coding agent that asks its hook before each call and reports each result, in its own format. */
class HookedAgent {
  readonly #agent: HookAgent;
  readonly #session: string;
  readonly #more: object;
  #calls = 0;

  constructor(agent: HookAgent, session: string, more: object = {}) {
    this.#agent = agent;
    this.#session = session;
    this.#more = more;
  }

  async prompt(prompt: string): Promise<unknown> {
    const events: Partial<Record<HookAgent, string>> = {
      gemini: 'BeforeAgent',
      cursor: 'beforeSubmitPrompt',
    };
    return this.#hook(events[this.#agent] ?? 'UserPromptSubmit', { prompt });
  }

  /** @returns what the hook said before the call, and behind it where the call was made */
  async call(
    name: string,
    args: object,
    result: string,
    { failed = false, approves = true }: { readonly failed?: boolean; readonly approves?: boolean } = {},
  ): Promise<{ before: unknown; after?: unknown }> {
    this.#calls += 1;
    const hasIds = this.#agent !== 'gemini' && this.#agent !== 'copilot';
    const id = hasIds ? { tool_use_id: `${this.#session}-${String(this.#calls)}` } : {};
    const call = { tool_name: name, tool_input: args, ...id };
    const events: Partial<Record<HookAgent, string>> = { gemini: 'BeforeTool', cursor: 'preToolUse' };
    const before = await this.#hook(events[this.#agent] ?? 'PreToolUse', call);
    const isAsked = JSON.stringify(before).includes('"ask"');
    if (JSON.stringify(before).includes('"deny"') || (isAsked && !approves)) return { before };
    const after = await this.#hook(...this.#result(call, result, failed));
    return { before, after };
  }

  #result(call: object, result: string, failed: boolean): [event: string, input: object] {
    if (this.#agent === 'gemini') {
      const error = failed ? { error: { message: result } } : {};
      return ['AfterTool', { ...call, tool_response: { llmContent: result, ...error } }];
    }
    if (this.#agent === 'cursor')
      return failed
        ? ['postToolUseFailure', { ...call, error_message: result, failure_type: 'error', duration: 12 }]
        : ['postToolUse', { ...call, tool_output: result, duration: 12 }];
    if (failed && this.#agent !== 'codex') return ['PostToolUseFailure', { ...call, error: result }];
    if (this.#agent === 'copilot')
      return [
        'PostToolUse',
        { ...call, tool_result: { result_type: 'success', text_result_for_llm: result } },
      ];
    return ['PostToolUse', { ...call, tool_response: result }];
  }

  async #hook(event: string, input: object): Promise<unknown> {
    const { status, body } = await send(`/hooks/${this.#agent}`, {
      ...(this.#agent === 'cursor'
        ? { conversation_id: this.#session, generation_id: 'g-1', cursor_version: '2.4.0' }
        : { session_id: this.#session }),
      cwd: '/w',
      transcript_path: '/h/s.jsonl',
      hook_event_name: event,
      ...(this.#agent === 'codex' && { turn_id: 't-1', model: 'gpt-5.5', permission_mode: 'default' }),
      ...(['gemini', 'copilot'].includes(this.#agent) && { timestamp: new Date(clock).toISOString() }),
      ...this.#more,
      ...input,
    });
    expect(status).toBe(200);
    return body;
  }
}

const guidance =
  /^Loopwatch denied this call: You have called \w+ 3 times in a row with the same arguments\./;
const advised = /^You have called \w+ 3 times in a row with the same arguments\./;

/** What the agents are told with a result. */
const advice = (event: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: expect.stringMatching(advised) },
});

// Stops by hooks: Cursor
describe.each<[agent: HookAgent, tool: string, denied: unknown, advised: object]>([
  [
    'claude-code',
    'Read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUseFailure'),
  ],
  [
    'codex',
    'shell',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUse'),
  ],
  ['gemini', 'read_file', { decision: 'deny', reason: expect.stringMatching(guidance) }, advice('AfterTool')],
  // The inputs that Copilot CLI 1.0.102 sends; it reads the first of the two.
  [
    'copilot',
    'Read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    { additionalContext: expect.stringMatching(advised), ...advice('PostToolUseFailure') },
  ],
  // The inputs and outputs that https://cursor.com/docs/agent/hooks describes.
  [
    'cursor',
    'Read',
    {
      permission: 'deny',
      user_message: expect.stringMatching(guidance),
      agent_message: expect.stringMatching(guidance),
    },
    { additional_context: expect.stringMatching(advised) },
  ],
  // The inputs that its plugin sends.
  [
    'opencode',
    'read',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(guidance),
      },
    },
    advice('PostToolUseFailure'),
  ],
])('hooks of %s', (agent, tool, denied, advised) => {
  const accepted = agent === 'cursor' ? { continue: true } : {};

  const fails = { file_path: '/src/absent.ts' };
  const text = 'File does not exist: /src/absent.ts';

  it('deny the fourth call of a loop, but not other calls', async () => {
    const hooked = new HookedAgent(agent, 's-1');
    expect(await hooked.prompt('Mend the build')).toEqual(accepted);
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: {}, after: {} });
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: {}, after: {} });
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({
      before: {},
      after: advised,
    });
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: denied });
    expect(await hooked.call(tool, { file_path: '/src/present.ts' }, 'export const a = 1;')).toEqual({
      before: {},
      after: {},
    });
  });

  it('end the turn at the third denial of a loop, until the next prompt', async () => {
    const hooked = new HookedAgent(agent, 's-1');
    await hooked.prompt('Mend the build');
    const answers: unknown[] = [];
    for (let n = 0; n < 7; n += 1)
      answers.push((await hooked.call(tool, fails, text, { failed: true })).before);
    // Codex would run a call that such an answer denies; Cursor has no such answer.
    const ended =
      agent === 'codex' || agent === 'cursor'
        ? {}
        : { continue: false, stopReason: expect.stringContaining('end your turn') };
    const isEnd = (answer: unknown) => JSON.stringify(answer).includes('Make no more tool calls');
    expect(answers.map(isEnd)).toEqual([false, false, false, false, false, true, true]);
    expect(answers[5]).toMatchObject(ended);
    // A user needs a moment to read the reason and to answer.
    clock += 20_000;
    await hooked.prompt('Try another file');
    expect(await hooked.call(tool, fails, text, { failed: true })).toEqual({ before: {}, after: {} });
  });

  it('record each call once, the denied one with its guidance', async () => {
    const hooked = new HookedAgent(agent, 's-1');
    await hooked.prompt('Mend the build');
    for (let n = 0; n < 4; n += 1) await hooked.call(tool, fails, text, { failed: true });
    expect(recorded().map(({ type }) => type)).toEqual([
      'prompt_started',
      ...Array.from({ length: 4 }, () => [
        'turn_started',
        'tool_call_request',
        'tool_result',
        'turn_finished',
      ]).flat(),
    ]);
    expect(recorded().at(-2)?.result).toMatch(guidance);
  });

  it('never interfere with an agent that makes progress', async () => {
    const hooked = new HookedAgent(agent, 's-1');
    for (let n = 0; n < 12; n += 1) {
      const file = { file_path: `/src/${String(n % 6)}.ts` };
      expect(await hooked.call(tool, file, `export const n = ${String(n * 31)};`)).toEqual({
        before: {},
        after: {},
      });
    }
  });
});

describe('hooks', () => {
  it('record a call along with its result when the hook before it was lost', async () => {
    const input = { session_id: 's-1', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'x' };
    await send('/hooks/claude-code', { ...input, hook_event_name: 'PostToolUse', tool_response: 'a.ts' });
    expect(recorded().map(({ type, callId }) => [type, callId])).toEqual([
      ['tool_call_request', 'x'],
      ['tool_result', 'x'],
    ]);
  });

  it("take the inputs of Visual Studio Code's own agent, and end its turn", async () => {
    // By https://code.visualstudio.com/docs/agents/reference/hooks-reference.
    const common = { timestamp: new Date(clock).toISOString(), cwd: '/w', sessionId: 's-1' };
    const answers: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      const call = { tool_name: 'readFile', tool_input: { path: 'a' }, tool_use_id: `t-${String(n)}` };
      const hook = async (more: object) =>
        (await send('/hooks/copilot', { ...common, ...call, ...more })).body;
      answers.push(await hook({ hookEventName: 'PreToolUse' }));
      if (n < 3) await hook({ hookEventName: 'PostToolUse', tool_response: 'an empty file' });
    }
    expect(answers.slice(0, 3)).toEqual([{}, {}, {}]);
    expect(answers[3]).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(answers[5]).toMatchObject({ continue: false, hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  it('keep a sub-agent apart from its parent', async () => {
    const parent = new HookedAgent('claude-code', 's-1');
    const child = new HookedAgent('claude-code', 's-1', { agent_id: 'a1' });
    for (let n = 0; n < 2; n += 1) {
      await parent.call('Read', { file_path: 'a' }, 'gone', { failed: true });
      expect(await child.call('Read', { file_path: 'a' }, 'gone', { failed: true })).toEqual({
        before: {},
        after: {},
      });
    }
    expect(new Set(recorded().map(({ sessionId }) => sessionId))).toEqual(new Set(['s-1', 's-1/a1']));
  });

  it('end the turn of Claude Code after the batch of calls whose loop was denied three times, once', async () => {
    const hooked = new HookedAgent('claude-code', 's-1');
    const batch = { session_id: 's-1', hook_event_name: 'PostToolBatch' };
    const ends: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      await hooked.call('Read', { file_path: 'a' }, 'gone', { failed: true });
      ends.push((await send('/hooks/claude-code', batch)).body);
    }
    expect(ends.slice(0, 5)).toEqual([{}, {}, {}, {}, {}]);
    expect(ends[5]).toEqual({ continue: false, stopReason: expect.stringContaining('end your turn') });
    expect((await send('/hooks/claude-code', batch)).body).toEqual({});
  });

  it('answer events without calls with an empty object', async () => {
    const input = { session_id: 's-1', hook_event_name: 'Notification', message: 'waiting' };
    expect(await send('/hooks/claude-code', input)).toEqual({ status: 200, body: {} });
    expect(recorded()).toEqual([]);
  });

  it.each<[what: string, path: string, body: unknown, status: number, detail: RegExp]>([
    [
      'an unknown agent',
      '/hooks/aider',
      {},
      404,
      /Unknown agent aider; expected one of claude-code, codex, gemini, copilot, cursor, opencode, generic/,
    ],
    [
      'other input',
      '/hooks/codex',
      { type: 'tool_call_request' },
      400,
      /hook_event_name: expected a non-empty string/,
    ],
    [
      'input without a session',
      '/hooks/codex',
      { hook_event_name: 'Stop' },
      400,
      /session_id: expected a non-empty string/,
    ],
    ['input that is not JSON', '/hooks/codex', '{', 400, /JSON/],
  ])('reject %s', async (_what, path, body, status, detail) => {
    expect(await send(path, body)).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
  });

  it('let the agent continue while the log is unavailable', async () => {
    log.failure = new Error('no broker');
    const hooked = new HookedAgent('claude-code', 's-1');
    expect(await hooked.call('Read', { file_path: 'a' }, 'text')).toEqual({ before: {}, after: {} });
  });
});

describe('the generic hook', () => {
  const args = { path: 'a' };
  const hook = async (event: string, more: object = {}) =>
    (await send('/hooks/generic', { session: 's-1', event, tool: 'read', arguments: args, ...more }))
      .body as { denied: boolean; stop: boolean; guidance: string | null };
  const calls = async (times: number, more: (n: number) => object = () => ({})) => {
    const answers = [];
    for (let n = 0; n < times; n += 1) {
      const before = await hook('before', more(n));
      answers.push(before);
      if (!before.denied) await hook('after', { ...more(n), result: 'not found', isError: true });
    }
    return answers.map(({ denied, stop }) => [denied, stop]);
  };

  it.each([
    ['without ids', () => ({})],
    ['with ids', (n: number) => ({ callId: `c-${String(n)}`, agent: 'coder', parentSession: 's-0' })],
  ])('denies a loop, and ends the turn at the third denial: %s', async (_, more) => {
    const [run, denied, ended] = [
      [false, false],
      [true, false],
      [true, true],
    ];
    expect(await calls(6, more)).toEqual([run, run, run, denied, denied, ended]);
    expect(recorded().map(({ type }) => type)).toEqual(
      Array.from({ length: 6 }, () => [
        'turn_started',
        'tool_call_request',
        'tool_result',
        'turn_finished',
      ]).flat(),
    );
  });

  it('gives guidance with the result that completes a loop', async () => {
    await calls(2);
    await hook('before');
    const answer = await hook('after', { result: 'not found', isError: true });
    expect(answer).toMatchObject({ denied: false, guidance: expect.stringMatching(advised) });
  });

  it('takes a result whose call was not reported, once', async () => {
    const result = { callId: 'c-1', result: 'text', time: START };
    await hook('after', result);
    await hook('after', result);
    expect(recorded().map(({ type, callId }) => [type, callId])).toEqual([
      ['tool_call_request', 'c-1'],
      ['tool_result', 'c-1'],
    ]);
  });

  it.each([
    ['event', 'during'],
    ['tool', ''],
    ['extra', 1],
  ])('rejects a wrong %s by name', async (field, value) => {
    const body = { session: 's-1', event: 'before', tool: 'read', [field]: value };
    expect(await send('/hooks/generic', body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(field) },
    });
  });
});

describe('POST /decide', () => {
  const looping = async () => {
    const call = { sessionId: 's-1', type: 'tool_call_request', name: 'get', args: { id: 1 } };
    const result = { sessionId: 's-1', type: 'tool_result', result: 'not found', isError: true };
    await send('/decide', { sessionId: 's-1', name: 'get', args: { id: 1 } });
    for (let n = 0; n < 3; n += 1) await send('/events', [call, result]);
  };

  it('denies a call that continues a loop, and records nothing', async () => {
    await looping();
    const before = recorded().length;
    expect(await send('/decide', { sessionId: 's-1', name: 'get', args: '{"id":1}' })).toEqual({
      status: 200,
      body: {
        action: 'deny',
        reason: expect.stringContaining('was called 3 times in a row and failed the same way'),
        guidance: expect.stringMatching(advised),
        incidentId: expect.stringMatching(/^i-/),
      },
    });
    expect(await send('/decide', { sessionId: 's-1', name: 'get', args: { id: 2 } })).toMatchObject({
      body: { action: 'allow', reason: null, guidance: null, incidentId: null },
    });
    expect(recorded()).toHaveLength(before);
  });

  it('ends the turn once refused calls were reported three times, in whatever words', async () => {
    await looping();
    const call = { sessionId: 's-1', type: 'tool_call_request', name: 'get', args: { id: 1 } };
    const refused = { sessionId: 's-1', type: 'tool_result', result: 'Not run: it repeats.', denied: true };
    const actions: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      actions.push((await send('/decide', { sessionId: 's-1', name: 'get', args: { id: 1 } })).body);
      await send('/events', [call, refused]);
    }
    expect(actions).toMatchObject([{ action: 'deny' }, { action: 'deny' }, { action: 'stop' }]);
  });

  it('rejects a call without a session', async () => {
    expect(await send('/decide', { name: 'get' })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('sessionId') },
    });
  });

  it('uses stored open incidents for an unknown session, unless they are false positives', async () => {
    const analyzer = createSessionAnalyzer({ preset: 'stream' });
    const call = { sessionId: 's-9', type: 'tool_call_request', name: 'get', args: { id: 7 } } as const;
    for (let n = 0; n < 5; n += 1)
      for (const found of analyzer.push({ ...call, time: clock }))
        log.appendVerdict({ ...found, incidentId: 'i-7', detectedAt: clock });
    await stored();
    const ask = () => send('/decide', { sessionId: 's-9', name: 'get', args: { id: 7 } });
    expect(await ask()).toMatchObject({
      body: {
        action: 'deny',
        guidance: expect.stringContaining('You have called get 5 times'),
        incidentId: 'i-7',
      },
    });
    expect(await send('/decide', { sessionId: 's-9', name: 'get', args: { id: 8 } })).toMatchObject({
      body: { action: 'allow' },
    });
    await send('/incidents/i-7', { status: 'false_positive' }, 'PATCH');
    expect(await ask()).toMatchObject({ body: { action: 'allow' } });
    await send('/incidents/i-7', { status: 'muted', mutedUntil: clock + 60_000 }, 'PATCH');
    expect(await ask()).toMatchObject({ body: { action: 'allow' } });
    clock += 60_000;
    expect(await ask()).toMatchObject({ body: { action: 'deny' } });
  });

  it('ignores incidents from before the latest prompt', async () => {
    const limit = { kind: 'limit', detector: 'tool-limit', action: 'block', tool: null } as const;
    log.appendVerdict(verdict({ incidentId: 'i-8', sessionId: 's-9', time: START, ...limit }));
    await stored();
    const ask = () => send('/decide', { sessionId: 's-9', name: 'get', args: {} });
    expect(await ask()).toMatchObject({ body: { action: 'deny', incidentId: 'i-8' } });
    await send('/events', { sessionId: 's-9', type: 'prompt_started', text: 'Go on', time: START + 5_000 });
    expect(await ask()).toMatchObject({ body: { action: 'allow' } });
  });

  it('applies changed settings', async () => {
    await looping();
    await send(
      '/settings/server',
      { set: { 'tool_call_loop.mode': 'warn', 'stagnation.enabled': false } },
      'PUT',
    );
    clock += 2_000;
    const call = { sessionId: 's-2', type: 'tool_call_request', name: 'get', args: { id: 1 } };
    const result = { sessionId: 's-2', type: 'tool_result', result: 'not found', isError: true };
    await send('/decide', { sessionId: 's-2', name: 'get', args: { id: 1 } });
    for (let n = 0; n < 3; n += 1) await send('/events', [call, result]);
    expect(await send('/decide', { sessionId: 's-2', name: 'get', args: { id: 1 } })).toMatchObject({
      body: { action: 'warn', reason: expect.stringContaining('3 times in a row'), guidance: null },
    });
  });
});

/** What a hook said before a call. */
function decisionOf({ before }: { readonly before: unknown }): string {
  return /"(ask|deny)"/.exec(JSON.stringify(before))?.[1] ?? 'run';
}

const range = (length: number) => Array.from({ length }, (_, i) => 100 + i);

describe('a budget', () => {
  const used = 'This session has used its budget: 10 of 10 tool calls';

  it('warns once, allows the last call, and denies every other, even after a prompt', async () => {
    await send('/settings/server', { set: { 'budget.calls': 10 } }, 'PUT');
    clock += 2_000;
    const hooked = new HookedAgent('claude-code', 's-1');
    await hooked.prompt('Read them all');
    const answers: unknown[] = [];
    for (let n = 0; n < 10; n += 1)
      answers.push((await hooked.call('Read', { file_path: String(n) }, `text ${String(n)}`)).before);
    const note = 'Loopwatch: This session has used 80% of its budget: 8 of 10 tool calls';
    const none = Array<object>(8).fill({});
    expect(answers).toEqual([...none, { systemMessage: note }, {}]);
    const denied = {
      before: {
        continue: false,
        stopReason: expect.stringContaining(used) as string,
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringContaining(used) as string,
        },
      },
    };
    expect(await hooked.call('Read', { file_path: 'new' }, 'text')).toMatchObject(denied);
    await hooked.prompt('Go on');
    expect(await hooked.call('Read', { file_path: 'newer' }, 'text')).toMatchObject(denied);
  });

  describe('with on_budget: ask', () => {
    const set = { 'budget.calls': 3, on_budget: 'ask' };
    const apply = async () => {
      await send('/settings/server', { set }, 'PUT');
      clock += 2_000;
    };
    const question = {
      before: {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'ask',
          permissionDecisionReason: expect.stringContaining('3 of 3') as string,
        },
      },
    };
    /** The answers to calls of different files. */
    const actions = async (hooked: HookedAgent, files: readonly number[], approves: boolean) => {
      const said: unknown[] = [];
      for (const file of files)
        said.push(
          decisionOf(await hooked.call('Read', { file_path: `f-${String(file)}` }, 'text', { approves })),
        );
      return said.join(' ');
    };

    it('makes Claude Code ask its user, once for ten calls', async () => {
      await apply();
      const hooked = new HookedAgent('claude-code', 's-9');
      expect(await actions(hooked, [1, 2, 3], true)).toBe('run run run');
      expect(await hooked.call('Read', { file_path: 'new' }, 'text')).toMatchObject(question);
      expect(await actions(hooked, range(9), true)).toBe('run '.repeat(9).trim());
      expect(await actions(hooked, [20, 21], true)).toBe('ask run');
    });

    it('ends the turn after three questions without an approval, until the next prompt', async () => {
      await apply();
      const hooked = new HookedAgent('claude-code', 's-9');
      await actions(hooked, [1, 2, 3], true);
      expect(await actions(hooked, [4, 5, 6, 7], false)).toBe('ask ask ask deny');
      await hooked.prompt('Go on');
      expect(await actions(hooked, [8, 9], true)).toBe('ask run');
    });

    it('ends the turn of agents that cannot ask', async () => {
      await apply();
      const hooked = new HookedAgent('gemini', 's-9');
      expect(await actions(hooked, [1, 2, 3, 4], true)).toBe('run run run deny');
    });

    it('tells others to ask, too', async () => {
      await apply();
      const hooked = new HookedAgent('claude-code', 's-9');
      await actions(hooked, [1, 2, 3], true);
      expect(await send('/decide', { sessionId: 's-9', name: 'get', args: {} })).toMatchObject({
        body: { action: 'stop', ask: true },
      });
    });
  });

  it('exceeded in another process denies calls even after a prompt', async () => {
    const limit = { kind: 'limit', detector: 'budget', action: 'block', tool: null } as const;
    log.appendVerdict(verdict({ incidentId: 'i-8', sessionId: 's-9', time: START, reason: used, ...limit }));
    await stored();
    const ask = () => send('/decide', { sessionId: 's-9', name: 'get', args: {} });
    expect(await ask()).toMatchObject({ body: { action: 'stop', reason: used } });
    await send('/events', { sessionId: 's-9', type: 'prompt_started', text: 'Go on', time: START + 5_000 });
    expect(await ask()).toMatchObject({ body: { action: 'stop', reason: used } });
  });
});

describe('a stopped session', () => {
  beforeEach(async () => {
    log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    await stored();
  });

  it('has every call denied by its hook until it is resumed', async () => {
    const hooked = new HookedAgent('claude-code', 's-1');
    await hooked.call('Read', { file_path: 'a' }, 'text');
    expect(await send('/sessions/s-1/stop', undefined)).toEqual({
      status: 200,
      body: { stopped: true, obeyedBy: 'hooks' },
    });
    expect(await send('/sessions/s-1', undefined, 'GET')).toMatchObject({ body: { stopped: true } });
    await hooked.prompt('Go on, please');
    expect(await hooked.call('Read', { file_path: 'b' }, 'text')).toEqual({
      before: {
        continue: false,
        stopReason: expect.stringContaining('The session was stopped by'),
        hookSpecificOutput: expect.objectContaining({ permissionDecision: 'deny' }),
      },
    });
    expect(await send('/sessions/s-1/stop', undefined, 'DELETE')).toEqual({
      status: 200,
      body: { stopped: false, obeyedBy: 'hooks' },
    });
    expect(await send('/sessions/s-1', undefined, 'GET')).not.toHaveProperty('body.stopped');
    expect(await hooked.call('Read', { file_path: 'b' }, 'text')).toEqual({ before: {}, after: {} });
  });

  it('reports when nothing enforces the stop', async () => {
    expect(await send('/sessions/s-1/stop', undefined)).toMatchObject({
      body: { stopped: true, obeyedBy: null },
    });
  });

  it('is marked in lists of incidents and on their pages', async () => {
    log.appendVerdict(verdict({ incidentId: 'i-8', sessionId: 's-1', time: START }));
    log.appendVerdict(verdict({ id: 'v-9', incidentId: 'i-9', sessionId: 's-2', time: START }));
    await stored();
    await send('/sessions/s-1/stop', undefined);
    const { body } = (await send('/incidents?sort=detectedAt', undefined, 'GET')) as {
      body: { items: { id: string; sessionStopped?: true }[] };
    };
    expect(Object.fromEntries(body.items.map(({ id, sessionStopped }) => [id, sessionStopped]))).toEqual({
      'i-8': true,
      'i-9': undefined,
    });
    expect(await send('/incidents/i-8', undefined, 'GET')).toMatchObject({ body: { sessionStopped: true } });
    expect(await send('/incidents/i-9', undefined, 'GET')).not.toHaveProperty('body.sessionStopped');
  });

  it('must be a known session', async () => {
    expect(await send('/sessions/s-404/stop', undefined)).toMatchObject({ status: 404 });
  });
});
