import { type ModelOutput, modelReply } from '@loopwatch/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { says } from '../agent.ts';
import { apiCases } from '../api-agents.ts';
import { GatewayBench } from '../harness.ts';

const read: ModelOutput = { calls: [{ name: 'read_file', args: { path: 'a' } }] };
const grep: ModelOutput = { calls: [{ name: 'grep', args: { pattern: 'b' } }] };
const max = { 'tool_call_loop.max_repeats': 2 };
const chance = { ...max, 'tool_call_loop.mode': 'chance_then_break' };

/** Events of a streamed answer of Responses, in order. */
async function eventsOf(bench: GatewayBench, body: object = {}): Promise<Record<string, unknown>[]> {
  const stream = await bench
    .openai('s-1')
    .responses.create({ model: 'm', input: 'Go on', stream: true, ...body });
  const events: Record<string, unknown>[] = [];
  for await (const event of stream) events.push(event as never);
  return events;
}

type Answer = Readonly<Record<string, unknown>> & { readonly output: Readonly<Record<string, unknown>>[] };
const responsesIn = (events: readonly Record<string, unknown>[]) =>
  events.flatMap(({ response }) => (response === undefined ? [] : [response as Answer]));

describe.each([
  { name: 'stopped at a loop', flags: max, text: /^Reading\.\n\nTool call loop detected/ },
  { name: 'continued after a chance', flags: chance, text: /^Reading\.\n\nWell\. Then this\.$/ },
])('a Responses stream $name', ({ flags, text }) => {
  const second: ModelOutput = { text: 'Well. Then this.', ...grep };
  const script = says({ text: 'Reading.', ...read }, { text: 'Reading.', ...read }, second, {
    text: 'Done.',
  });
  let events: Record<string, unknown>[];
  let bench: GatewayBench;

  beforeEach(async () => {
    bench = await GatewayBench.start(script, flags);
    await eventsOf(bench);
    events = await eventsOf(bench);
    return () => bench[Symbol.asyncDispose]();
  });

  it('a Responses stream: one response with one id, sequence and indexes', () => {
    const ids = new Set(responsesIn(events).map(({ id }) => id));
    expect([...ids]).toEqual([responsesIn(events)[0]?.['id']]);
    expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, i) => i));
    expect(events.at(-1)?.['type']).toBe('response.completed');
    const added = events.filter(({ type }) => type === 'response.output_item.added');
    const done = events.filter(({ type }) => type === 'response.output_item.done');
    expect(added.map(({ output_index: at }) => at)).toEqual(added.map((_, i) => i));
    expect(responsesIn(events).at(-1)?.output).toEqual(done.map(({ item }) => item));
  });

  it('a Responses stream: two texts are separated, in deltas and in the whole', () => {
    const streamed = events.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''));
    expect(streamed.join('')).toMatch(text);
    const parts = responsesIn(events)
      .at(-1)
      ?.output.flatMap(({ content }) => (content ?? []) as { text: string }[]);
    expect(parts?.map((part) => part.text).join('')).toBe(streamed.join(''));
    const ends = events.flatMap(({ type, text: said }) =>
      type === 'response.output_text.done' ? [said] : [],
    );
    expect(ends.join('')).toBe(streamed.join(''));
  });

  it('a Responses stream: a request can continue from its id', async () => {
    const [begun] = responsesIn(events);
    await eventsOf(bench, { previous_response_id: begun?.['id'], input: 'And now?' });
    const { json } = bench.upstream.requests.at(-1) ?? {};
    const isStopped = flags === max;
    expect(json?.['previous_response_id']).not.toBe(begun?.['id']);
    expect(json?.['previous_response_id'] !== undefined).toBe(!isStopped);
    expect(JSON.stringify(json?.['input'])).toContain('And now?');
    expect(JSON.stringify(json?.['input']).includes('Tool call loop detected')).toBe(isStopped);
  });
});

it('a Responses stream: continues from a blocked reply with the calls made before the block', async () => {
  const both: ModelOutput = { calls: [...(read.calls ?? []), ...(read.calls ?? [])] };
  await using bench = await GatewayBench.start(says(both, { text: 'Done.' }), max);
  const events = await eventsOf(bench);
  const made = responsesIn(events)
    .at(-1)
    ?.output.filter(({ type }) => type === 'function_call');
  const outputs = made?.map(({ call_id: id }) => ({
    type: 'function_call_output',
    call_id: id,
    output: 'x',
  }));
  await eventsOf(bench, { previous_response_id: responsesIn(events)[0]?.['id'], input: outputs });
  const input = bench.upstream.requests.at(-1)?.json['input'] as Record<string, unknown>[];
  const calls = input.filter(({ type }) => type === 'function_call').map(({ call_id: id }) => id);
  const results = input.filter(({ type }) => type === 'function_call_output').map(({ call_id: id }) => id);
  expect(calls).toHaveLength(1);
  expect(calls).toEqual(results);
});

it('looping reasoning: its item is closed, so that the response is complete', async () => {
  const loop = 'I will check the configuration file again to see what is wrong. '.repeat(300);
  await using bench = await GatewayBench.start(
    (request) => {
      const reply = modelReply(request, { text: loop });
      if (typeof reply === 'string' || !('chunks' in reply)) return reply;
      // The same events, as those of a reasoning item.
      const chunks = reply.chunks.map((chunk) =>
        (typeof chunk === 'string' ? chunk : '')
          .replaceAll('response.output_text', 'response.reasoning_summary_text')
          .replaceAll('response.content_part', 'response.reasoning_summary_part')
          .replaceAll('content_index', 'summary_index')
          .replaceAll('"output_text"', '"summary_text"')
          .replaceAll('"content":[]', '"summary":[]')
          .replaceAll('"type":"message"', '"type":"reasoning"'),
      );
      return { ...reply, chunks };
    },
    { preset: 'stream', 'thought_loop.enabled': true },
  );
  const events = await eventsOf(bench);
  const items = (wanted: string) =>
    events.flatMap(({ type, item }) =>
      type === wanted ? [(item as Readonly<Record<string, unknown>>)['type']] : [],
    );
  expect(items('response.output_item.added')).toEqual(['reasoning', 'message']);
  expect(items('response.output_item.done')).toEqual(['reasoning', 'message']);
  const types = events.map(({ type }) => type);
  expect(types).toContain('response.reasoning_summary_text.done');
  expect(types).toContain('response.reasoning_summary_part.done');
  expect(types.at(-1)).toBe('response.completed');
});

it.each(
  [
    { then: read, text: /^Reading\.\n\nReading\.\n\nTool call loop detected/ },
    { then: grep, text: /^Reading\.\n\nReading\.$/ },
  ].flatMap((each) => ['Messages', 'Gemini', 'Gemini, as a JSON array'].map((name) => ({ ...each, name }))),
)('a $name stream: two texts are separated', async ({ name, then, text }) => {
  const reading = (said: ModelOutput): ModelOutput => ({ text: 'Reading.', ...said });
  await using bench = await GatewayBench.start(says(reading(read), reading(read), reading(then)), chance);
  const api = apiCases.find((each) => each.name === name);
  const agent = api?.agent(bench, true, 's-1', 'Go on');
  await agent?.turn();
  expect((await agent?.turn())?.text).toMatch(text);
});

describe.each([
  { name: 'Chat Completions', input: 'prompt_tokens', output: 'completion_tokens' },
  { name: 'Messages', input: 'input_tokens', output: 'output_tokens' },
  { name: 'Responses', input: 'input_tokens', output: 'output_tokens' },
  { name: 'Gemini', input: 'promptTokenCount', output: 'candidatesTokenCount' },
  { name: 'Gemini, as a JSON array', input: 'promptTokenCount', output: 'candidatesTokenCount' },
])('token usage ($name)', ({ name, input, output }) => {
  it.each([
    { stream: false, then: grep, title: 'is summed over the replies before and after a chance' },
    { stream: true, then: grep, title: 'is summed over both streams' },
    { stream: false, then: read, title: 'is summed if the second reply is stopped' },
    { stream: true, then: read, title: 'is summed if the second stream is stopped' },
  ])('$title', async ({ stream, then }) => {
    await using bench = await GatewayBench.start(says(read, read, then), chance);
    const api = apiCases.find((each) => each.name === name);
    const agent = api?.agent(bench, stream, 's-1', 'Go on');
    await agent?.turn();
    expect(agent?.usage).toMatchObject({ [input]: 10, [output]: 5 });
    await agent?.turn();
    expect(agent?.usage).toMatchObject({ [input]: 20, [output]: 10 });
  });
});

describe('a Messages thread, whose history the API keeps', () => {
  const result = (id: string, text: string) => ({ type: 'tool_result', tool_use_id: id, content: text });
  const send = async (bench: GatewayBench, body: object): Promise<Answer & { readonly id: string }> =>
    (await (
      await fetch(`${bench.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
        body: JSON.stringify({ model: 'm', max_tokens: 9, ...body }),
      })
    ).json()) as Answer & { readonly id: string };
  const goOn = (previous: string, content: unknown) => ({
    messages: [{ role: 'user', content }],
    thread: { type: 'continue', previous_message_id: previous },
  });

  it('a Messages thread: is blocked by remembered calls, and continues after the block', async () => {
    await using bench = await GatewayBench.start(says(read, read, { text: 'Done.' }), max);
    const first = await send(bench, {
      messages: [{ role: 'user', content: 'Go on' }],
      thread: { type: 'create' },
    });
    const [call] = (first as unknown as { content: { id: string }[] }).content;
    const stop = await send(bench, goOn(first.id, [result(call?.id ?? '', 'x')]));
    expect(JSON.stringify(stop)).toContain('Tool call loop detected');
    await send(bench, goOn(stop.id, 'And now?'));
    const { json } = bench.upstream.requests.at(-1) ?? {};
    expect(json?.['thread']).toEqual({ type: 'continue', previous_message_id: first.id });
    expect(JSON.stringify(json?.['messages'])).toMatch(/tool_result.*Tool call loop detected.*And now\?/);
  });

  it('a Messages thread: starts from its first message if that was blocked', async () => {
    await using bench = await GatewayBench.start(
      says({ calls: [...(read.calls ?? []), ...(read.calls ?? [])] }, { text: 'Done.' }),
      max,
    );
    const body = { messages: [{ role: 'user', content: 'Go on' }], thread: { type: 'create' } };
    const stop = await send(bench, body);
    await send(bench, goOn(stop.id, 'And now?'));
    expect(bench.upstream.requests.at(-1)?.json['thread']).toEqual({ type: 'create' });
  });
});
