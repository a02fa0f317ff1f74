import { type AgentEvent, detectionSchema } from '@loopwatch/contract';
import { createSessionAnalyzer, type ProposedCall, type PureVerdict } from '@loopwatch/detectors';
import { detectionOf, knownElsewhere, WatchedSession } from '@loopwatch/detectors/internal';
import { modelReply, waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { GatewayBench } from '../../../gateway/test/harness.ts';
import { createGuard } from '../../../guard/src/index.ts';
import { startServer } from '../../../server/test/running-server.ts';
import { type Answer, type Case, callsOf, cases, input, type Step } from './cases.ts';

const detection = detectionOf(detectionSchema.parse(input));

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

/** The events of a session in which every call runs. */
function eventsOf(sessionId: string, { history }: Case): AgentEvent[] {
  const steps: readonly Step[] = ['prompt', ...history];
  const bodies = steps.flatMap((step, i): object[] =>
    step === 'prompt'
      ? [{ type: 'prompt_started', text: `Prompt ${String(i)}`, origin: 'user' }]
      : [
          { type: 'turn_started' },
          ...callsOf(step, i).map(({ id, name, args }) => ({
            type: 'tool_call_request',
            callId: id,
            name,
            args,
          })),
          ...callsOf(step, i).map(({ id, result }) => ({ type: 'tool_result', callId: id, result })),
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
    const made =
      step === 'prompt'
        ? { content: 'Done' }
        : {
            content: null,
            tool_calls: callsOf(step, i).map(({ id, name, args }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            })),
          };
    const message = isSeen ? await turn(gateway, session, messages) : { role: 'assistant', ...made };
    messages.push(message);
    if (step === 'prompt') messages.push({ role: 'user', content: 'Go on' });
    else {
      const { tool_calls: calls = [] } = message;
      expect(calls.map((call) => call.function.name)).toEqual(callsOf(step, i).map(({ name }) => name));
      for (const { id } of calls)
        messages.push({ role: 'tool', content: step[2], tool_call_id: id } as Message);
    }
  }
  const { tool_calls: calls = [] } = await turn(gateway, session, messages);
  return calls.length > 0 ? 'allow' : 'deny';
}

/** How each of them answers a case. */
export const doors: Readonly<Record<string, (one: Case, index: number) => Promise<Answer> | Answer>> = {
  library: (one) => {
    const analyzer = createSessionAnalyzer(input);
    for (const event of eventsOf('s', one)) analyzer.push(event);
    return analyzer.decide(proposed(one)).action as Answer;
  },
  'library, analyzed elsewhere': (one) => {
    const elsewhere = new WatchedSession('s', detection);
    for (const event of eventsOf('s', one)) elsewhere.push(event);
    const incidents = elsewhere.openVerdicts;
    const session = new WatchedSession('s', detection);
    return session.decide(proposed(one), now(), knownElsewhere(incidents)).action as Answer;
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
        const calls = callsOf(step, i).map(({ id, name, args }) => ({
          tool_name: name,
          tool_input: args,
          tool_use_id: id,
        }));
        if (calls.length > 1) for (const call of calls) await hook(session, 'PreToolUse', call);
        for (const call of calls) await hook(session, 'PostToolUse', { ...call, tool_response: step[2] });
      }
    }
    return askHook(session, one);
  },
  'hook, analyzed elsewhere': async (one, index) => {
    const session = `stored-hook-${String(index)}`;
    await stored(session, one);
    return askHook(session, one);
  },
  guard: async (one) => {
    const guard = createGuard({ settings: input });
    guard.prompt('Go on');
    for (const [i, step] of one.history.entries()) {
      if (step === 'prompt') {
        guard.prompt('Go on');
        continue;
      }
      const tool = guard.tool<[object], Promise<string>>(step[0], () => Promise.resolve(step[2]));
      await Promise.all(callsOf(step, i).map(async ({ args }) => tool(args)));
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

/** Starts what is behind the doors for the tests of a file. */
export function openDoors(): void {
  beforeAll(async () => {
    server = await startServer({
      configured: { settings: detectionSchema.parse(input), origins: {}, hasModel: false },
      now,
    });
    const start = () =>
      GatewayBench.start(
        (request) => {
          const messages = request.json['messages'] as Message[];
          const { history, asked } = cases[Number(messages[0]?.content)] ?? cases[0]!;
          const at = messages.filter(({ role }) => role === 'assistant').length;
          const next = at === history.length ? asked : history[at];
          if (next === undefined || next === 'prompt') return modelReply(request, { text: 'Done' });
          const [name, args, , sideBySide = 1] = next;
          return modelReply(request, { calls: Array.from({ length: sideBySide }, () => ({ name, args })) });
        },
        { preset: 'balanced', per_tool: input.per_tool },
      );
    gateways.push(await start(), await start());
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    await server.server.stop();
  });
}
