import type { Random } from './random.ts';

/** An event before it has a session and a time. */
export type AgentEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** A phase of an agent's work. */
type Episode = (random: Random) => Iterable<AgentEvent>;

const sentences = [
  'I will look at the file once more before I change it. ',
  'The test still fails, so the cause must lie elsewhere. ',
  'Let me check the configuration of the other service. ',
];
const tools = ['read_file', 'run_tests', 'search', 'edit_file'];

/** A name that practically never recurs. */
function fresh(random: Random): string {
  return `item-${random.between(0, 2 ** 40).toString(36)}`;
}

function* turn(events: Iterable<AgentEvent>): Generator<AgentEvent> {
  yield { type: 'turn_started' };
  yield* events;
  yield { type: 'turn_finished', usage: { inputTokens: 900, outputTokens: 40 } };
}

function* call(random: Random, name: string, args: object, result: object): Generator<AgentEvent> {
  const callId = fresh(random);
  yield { type: 'tool_call_request', callId, name, args };
  yield { type: 'tool_result', callId, ...result };
}

function* progress(random: Random): Generator<AgentEvent> {
  for (let left = random.between(1, 6); left > 0; left -= 1)
    yield* turn(
      call(random, random.pick(tools), { path: fresh(random) }, { result: `text of ${fresh(random)}` }),
    );
}

function* sameCall(random: Random): Generator<AgentEvent> {
  const args = { path: fresh(random) };
  const name = random.pick(tools);
  for (let left = random.between(2, 7); left > 0; left -= 1)
    yield* turn(call(random, name, args, { result: 'the same as before, word for word' }));
}

function* cycle(random: Random): Generator<AgentEvent> {
  const steps = Array.from({ length: random.between(2, 3) }, () => ({
    name: random.pick(tools),
    args: { path: fresh(random) },
  }));
  for (let left = random.between(2, 5); left > 0; left -= 1)
    for (const { name, args } of steps)
      yield* turn(call(random, name, args, { result: 'nothing has changed since the last time' }));
}

function* failures(random: Random): Generator<AgentEvent> {
  const error = random.pick([
    'ENOENT: no such file or directory',
    '429 rate limit exceeded',
    'request timed out',
  ]);
  for (let left = random.between(3, 7); left > 0; left -= 1)
    yield* turn(call(random, 'run_tests', { path: fresh(random) }, { result: error, isError: true }));
}

function chatter(type: 'content' | 'thought'): Episode {
  return function* say(random) {
    const sentence = random.pick(sentences);
    const repeated = random.chance(0.4);
    yield { type: 'turn_started' };
    for (let left = random.between(4, 20); left > 0; left -= 1)
      yield { type, text: repeated ? sentence : `${sentence}It is ${fresh(random)} that matters. ` };
    yield { type: 'turn_finished' };
  };
}

function* retry(random: Random): Generator<AgentEvent> {
  yield { type: 'turn_started' };
  yield { type: 'content', text: random.pick(sentences) };
  yield { type: 'retry' };
  yield* turn([{ type: 'content', text: random.pick(sentences) }]);
}

function* control(random: Random): Generator<AgentEvent> {
  yield { type: 'control', set: { 'tool_call_loop.max_repeats': random.between(3, 5) } };
}

const episodes: readonly Episode[] = [
  ...[progress, progress, sameCall, sameCall, sameCall, cycle, cycle, failures],
  ...[chatter('content'), chatter('thought'), retry, control],
];

/** The endless events of an agent: it works, and sometimes loops. */
export function* agentEvents(random: Random): Generator<AgentEvent, never> {
  yield { type: 'prompt_started', text: 'Mend what is broken.', model: 'model-1', backend: 'backend-1' };
  for (;;) {
    yield* random.pick(episodes)(random);
    if (random.chance(0.1)) yield { type: 'prompt_started', text: 'And now the next one.' };
  }
}
