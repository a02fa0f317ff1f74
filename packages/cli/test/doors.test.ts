import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { createSessionAnalyzer, type ProposedCall, type PureVerdict } from '@loopwatch/detectors';
import { detectionOf, WatchedSession } from '@loopwatch/detectors/internal';
import { modelReply, waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayBench } from '../../gateway/test/harness.ts';
import { createGuard } from '../../guard/src/index.ts';
import { startServer } from '../../server/test/running-server.ts';

/*
 * A call is decided the same everywhere: by the library, `POST /decide`, a hook, a guard and the gateway; whether the
 * session was analyzed there or elsewhere.
 */

type Call = readonly [name: string, args: object];
/** A call with its result, or a new prompt. */
type Step = readonly [name: string, args: object, result: string] | 'prompt';
type Answer = 'allow' | 'deny';
interface Case {
  readonly title: string;
  readonly history: readonly Step[];
  readonly asked: Call;
  readonly expected: Answer;
  /** The loop is blocked at its latest result: the gateway asks the model for no further call. */
  readonly endsTurn?: true;
}

const input: DetectionInput = {
  per_tool: { search: { identity: ['query'] }, fetch: { volatile: ['requestId'] } },
};
const detection = detectionOf(detectionSchema.parse(input));

const text = 'src/cart.ts:12: the total is rounded down';
const times = (n: number, ...steps: readonly Step[]): Step[] => Array.from({ length: n }, () => steps).flat();

/** A loop of one call, and the call that is asked for. */
const loop = (title: string, [name, args]: Call, asked: Call, expected: Answer): Case => ({
  title,
  history: times(3, [name, args, text]),
  asked,
  expected,
});

const long = 'x'.repeat(600);
const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';
const bash = (command: string, more: object = {}): Call => ['Bash', { command, ...more }];
const read = (path: unknown, more: object = {}): Call => ['read_file', { path, ...more }];
const denied = 'Error: EACCES: permission denied, open';
const failures = (n: number): Step[] =>
  Array.from({ length: n }, (_, i) => ['read_file', { path: `src/${String(i)}.ts` }, denied]);
const a: Step = ['grep', { q: 'total' }, text];
const b: Step = ['list_dir', { path: 'src' }, 'cart.ts order.ts'];

const cases: readonly Case[] = [
  loop('the same call', read('a.ts'), read('a.ts'), 'deny'),
  loop('another argument', read('a.ts'), read('b.ts'), 'allow'),
  loop('another tool', read('a.ts'), ['open_file', { path: 'a.ts' }], 'allow'),
  loop(
    'a command described in other words',
    bash('ls -la', { description: 'List' }),
    bash('ls -la', { description: 'Show all' }),
    'deny',
  ),
  loop('a command without its description', bash('ls -la', { description: 'List' }), bash('ls -la'), 'deny'),
  loop(
    'another command with the same description',
    bash('ls -la', { description: 'List' }),
    bash('ls', { description: 'List' }),
    'allow',
  ),
  loop(
    'a description that is an argument',
    read('a.ts', { description: 'x' }),
    read('a.ts', { description: 'y' }),
    'allow',
  ),
  loop(
    'a field that agents add to any tool',
    read('a.ts', { task_progress: '1 of 3' }),
    read('a.ts', { task_progress: '2 of 3' }),
    'deny',
  ),
  loop('a long argument', bash(`echo ${long}`), bash(`echo ${long}`), 'deny'),
  loop('a long argument with another end', bash(`echo ${long}`), bash(`echo ${long}y`), 'allow'),
  loop('a very long argument', read(long.repeat(100)), read(long.repeat(100)), 'deny'),
  loop(
    'a secret',
    bash(`curl -H "Authorization: Bearer ${key}" https://x`),
    bash(`curl -H "Authorization: Bearer ${key}" https://x`),
    'deny',
  ),
  loop(
    'another secret',
    bash(`curl -H "Authorization: Bearer ${key}" https://x`),
    bash(`curl -H "Authorization: Bearer ${key}E" https://x`),
    'allow',
  ),
  loop('another order of keys', ['edit', { path: 'a', line: 1 }], ['edit', { line: 1, path: 'a' }], 'deny'),
  loop(
    'another order of nested keys',
    ['edit', { at: { path: 'a', line: 1 } }],
    ['edit', { at: { line: 1, path: 'a' } }],
    'deny',
  ),
  loop('another order of a list', ['edit', { lines: [1, 2] }], ['edit', { lines: [2, 1] }], 'allow'),
  loop('the same number', ['edit', { line: 10 }], ['edit', { line: 1e1 }], 'deny'),
  loop('a number as text', ['edit', { line: 10 }], ['edit', { line: '10' }], 'allow'),
  loop('nested JSON as text', ['edit', { patch: '{"a": 1}' }], ['edit', { patch: '{"a": 1}' }], 'deny'),
  loop(
    'nested JSON as text and as an object',
    ['edit', { patch: '{"a":1}' }],
    ['edit', { patch: { a: 1 } }],
    'allow',
  ),
  loop('null and a missing argument', read('a.ts', { lines: null }), read('a.ts'), 'allow'),
  loop('no arguments', ['get_time', {}], ['get_time', {}], 'deny'),
  loop('no arguments and one', ['get_time', {}], ['get_time', { zone: 'utc' }], 'allow'),
  loop('unicode', read('Grüße/日本語 🎉.ts'), read('Grüße/日本語 🎉.ts'), 'deny'),
  loop('unicode in another normal form', read('Gr\u00fc\u00dfe.ts'), read('Gru\u0308\u00dfe.ts'), 'allow'),
  loop(
    'line breaks and control characters',
    bash('cat <<E\n\ta\u0007\nE'),
    bash('cat <<E\n\ta\u0007\nE'),
    'deny',
  ),
  loop(
    'a tool that is identified by its query',
    ['search', { query: 'tax', page: 1 }],
    ['search', { query: 'tax', page: 2 }],
    'deny',
  ),
  loop(
    'a tool that is identified by another query',
    ['search', { query: 'tax', page: 1 }],
    ['search', { query: 'vat', page: 1 }],
    'allow',
  ),
  loop(
    'a volatile argument',
    ['fetch', { url: 'https://x', requestId: 'r-1' }],
    ['fetch', { url: 'https://x', requestId: 'r-2' }],
    'deny',
  ),
  loop('a long name', ['t'.repeat(300), { q: 1 }], ['t'.repeat(300), { q: 1 }], 'deny'),
  loop(
    'a long name with another end',
    ['t'.repeat(300), { q: 1 }],
    [`${'t'.repeat(300)}u`, { q: 1 }],
    'allow',
  ),
  {
    title: 'the next call of a cycle',
    history: times(3, a, b),
    asked: ['grep', { q: 'total' }],
    expected: 'deny',
  },
  {
    title: 'another call of a cycle',
    history: times(3, a, b),
    asked: ['list_dir', { path: 'src' }],
    expected: 'deny',
  },
  { title: 'a call that leaves a cycle', history: times(3, a, b), asked: read('a.ts'), expected: 'allow' },
  { title: 'a failed call after a chance', history: failures(5), asked: read('src/1.ts'), expected: 'deny' },
  {
    title: 'something new after a chance',
    history: failures(5),
    asked: read('src/new.ts'),
    expected: 'allow',
  },
  {
    title: 'any call of a blocked tool',
    history: failures(6),
    asked: read('src/new.ts'),
    expected: 'deny',
    endsTurn: true,
  },
  {
    title: 'another tool beside a blocked one',
    history: failures(6),
    asked: ['grep', { q: 'x' }],
    expected: 'allow',
    endsTurn: true,
  },
  {
    title: 'a loop that is over',
    history: [...times(3, a), b],
    asked: ['grep', { q: 'total' }],
    expected: 'allow',
  },
  {
    title: 'a loop of the previous prompt',
    history: [...times(3, a), 'prompt'],
    asked: ['grep', { q: 'total' }],
    expected: 'allow',
  },
];

let server: Awaited<ReturnType<typeof startServer>>;
/** A person takes time to write a prompt. */
let writing = 0;
const now = (): number => Date.now() + writing;
const gateways: GatewayBench[] = [];
const api = async (path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return response.json();
};

beforeAll(async () => {
  server = await startServer({
    configured: { settings: detectionSchema.parse(input), origins: {}, hasModel: false },
    now,
  });
  const start = () =>
    GatewayBench.start(
      (request) => {
        const messages = request.json['messages'] as Message[];
        const of = (role: string) => messages.filter((message) => message.role === role).length;
        const { history, asked } = cases[Number(messages[0]?.content)] ?? cases[0]!;
        const at = of('tool') + of('user') - 1;
        const next = at === history.length ? asked : history[at];
        if (next === undefined || next === 'prompt') return modelReply(request, { text: 'Done' });
        return modelReply(request, { calls: [{ name: next[0], args: next[1] }] });
      },
      { preset: 'balanced', per_tool: input.per_tool },
    );
  gateways.push(await start(), await start());
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
  await server.server.stop();
});

/** The events of a session in which every call runs. */
function eventsOf(sessionId: string, { history }: Case): AgentEvent[] {
  const steps: readonly Step[] = ['prompt', ...history];
  const bodies = steps.flatMap((step, i): object[] =>
    step === 'prompt'
      ? [{ type: 'prompt_started', text: `Prompt ${String(i)}`, origin: 'user' }]
      : [
          { type: 'turn_started' },
          { type: 'tool_call_request', callId: `c-${String(i)}`, name: step[0], args: step[1] },
          { type: 'tool_result', callId: `c-${String(i)}`, result: step[2] },
        ],
  );
  return bodies.map(
    (body, i) => ({ v: 1, id: `e-${String(i)}`, sessionId, time: now(), ...body }) as AgentEvent,
  );
}

/** The verdicts of a process that analyzes the session elsewhere. */
function verdictsOf(sessionId: string, one: Case): PureVerdict[] {
  const session = new WatchedSession(sessionId, detection);
  return eventsOf(sessionId, one).flatMap((event) => session.push(event).verdicts);
}

async function stored(sessionId: string, one: Case): Promise<PureVerdict[]> {
  const verdicts = verdictsOf(sessionId, one);
  for (const verdict of verdicts) server.log.appendVerdict({ ...verdict, detectedAt: now() });
  await server.stored();
  return verdicts;
}

const proposed = ({ asked: [name, args] }: Case): ProposedCall => ({ name, args });
const hook = (sessionId: string, event: string, more: object) =>
  api('/hooks/claude-code', { session_id: sessionId, hook_event_name: event, cwd: '/w', ...more });
const answerOf = (value: unknown): Answer =>
  JSON.stringify(value).includes('Loopwatch denied this call') ? 'deny' : 'allow';

async function askHook(sessionId: string, { asked: [name, args] }: Case): Promise<Answer> {
  const call = { tool_name: name, tool_input: args, tool_use_id: 'asked' };
  return answerOf(await hook(sessionId, 'PreToolUse', call));
}

async function askApi(sessionId: string, one: Case): Promise<Answer> {
  return ((await api('/decide', { sessionId, ...proposed(one) })) as { action: Answer }).action;
}

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
}

/** Asks the model once. */
async function turn(
  gateway: GatewayBench,
  sessionId: string,
  messages: readonly Message[],
): Promise<Message> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': sessionId },
    body: JSON.stringify({ model: 'm', messages }),
  });
  const { choices } = (await response.json()) as { choices: { message: Message }[] };
  return choices[0]!.message;
}

/** @param isSeen whether the gateway sees each request, or only the last */
async function askGateway(gateway: GatewayBench, index: number, isSeen: boolean): Promise<Answer> {
  const { history } = cases[index]!;
  const session = `s-${String(index)}`;
  const messages: Message[] = [{ role: 'user', content: String(index) }];
  for (const [i, step] of history.entries()) {
    const id = `c-${String(i)}`;
    const made =
      step === 'prompt'
        ? { content: 'Done' }
        : {
            content: null,
            tool_calls: [
              { id, type: 'function', function: { name: step[0], arguments: JSON.stringify(step[1]) } },
            ],
          };
    const message = isSeen ? await turn(gateway, session, messages) : { role: 'assistant', ...made };
    messages.push(message);
    if (step === 'prompt') messages.push({ role: 'user', content: 'Go on' });
    else {
      const [call] = message.tool_calls ?? [];
      expect(call?.function.name).toBe(step[0]);
      messages.push({ role: 'tool', content: step[2], tool_call_id: call?.id ?? '' } as Message);
    }
  }
  const { tool_calls: calls = [] } = await turn(gateway, session, messages);
  return calls.length > 0 ? 'allow' : 'deny';
}

const doors: Readonly<Record<string, (one: Case, index: number) => Promise<Answer> | Answer>> = {
  library: (one) => {
    const analyzer = createSessionAnalyzer(input);
    for (const event of eventsOf('s', one)) analyzer.push(event);
    return analyzer.decide(proposed(one)).action as Answer;
  },
  'library, analyzed elsewhere': (one) => {
    const elsewhere = new WatchedSession('s', detection);
    for (const event of eventsOf('s', one)) elsewhere.push(event);
    const incidents = elsewhere.openVerdicts;
    return new WatchedSession('s', detection).decide(proposed(one), now(), { incidents }).action as Answer;
  },
  'POST /decide': async (one, index) => {
    const session = `decide-${String(index)}`;
    await api('/decide', { sessionId: session, name: 'first', args: {} });
    await api('/events', eventsOf(session, one));
    return askApi(session, one);
  },
  'POST /decide, analyzed elsewhere': async (one, index) => {
    const session = `stored-${String(index)}`;
    await stored(session, one);
    return askApi(session, one);
  },
  hook: async (one, index) => {
    const session = `hook-${String(index)}`;
    await hook(session, 'UserPromptSubmit', { prompt: 'Go on' });
    for (const [i, step] of one.history.entries()) {
      if (step === 'prompt') {
        writing += 20_000;
        await hook(session, 'UserPromptSubmit', { prompt: 'Now this' });
      } else {
        const call = { tool_name: step[0], tool_input: step[1], tool_use_id: `c-${String(i)}` };
        await hook(session, 'PostToolUse', { ...call, tool_response: step[2] });
      }
    }
    return askHook(session, one);
  },
  'hook, analyzed elsewhere': async (one, index) => {
    const session = `stored-hook-${String(index)}`;
    await stored(session, one);
    return askHook(session, one);
  },
  guard: (one) => {
    const guard = createGuard({ settings: input });
    guard.prompt('Go on');
    for (const step of one.history) {
      if (step === 'prompt') guard.prompt('Go on');
      else guard.tool<[object], string>(step[0], () => step[2])(step[1]);
    }
    return answerOf(guard.tool<[object], string>(one.asked[0], () => 'ran')(one.asked[1]));
  },
  'guard, analyzed elsewhere': async (one, index) => {
    const session = `stored-guard-${String(index)}`;
    const verdicts = await stored(session, one);
    let seen = 0;
    await using guard = createGuard({
      session,
      settings: input,
      server: { url: server.url },
      onVerdict: () => (seen += 1),
    });
    await waitFor(() => seen === verdicts.length);
    return answerOf(guard.tool<[object], string>(one.asked[0], () => 'ran')(one.asked[1]));
  },
  gateway: (_, index) => askGateway(gateways[0]!, index, true),
  'gateway, analyzed elsewhere': (_, index) => askGateway(gateways[1]!, index, false),
};

describe('a call is decided the same at each door, wherever the session was analyzed:', () => {
  it.each(cases.map((one, index) => ({ ...one, index })))('$title: $expected', async ({ index, ...one }) => {
    const answers: Record<string, Answer> = {};
    const asked = Object.entries(doors).filter(([door]) => !one.endsTurn || !door.startsWith('gateway'));
    for (const [door, ask] of asked) answers[door] = await ask(one, index);
    expect(answers).toEqual(Object.fromEntries(asked.map(([door]) => [door, one.expected])));
  });
});
