import type { ApiReply } from '@loopwatch/testkit';
import type { ChatCompletionMessageParam } from 'openai/resources';
import { describe, expect, it } from 'vitest';
import { GatewayBench } from '../harness.ts';

const call = (path: string) => ({
  id: `call_${path}`,
  type: 'function' as const,
  function: { name: 'read_file', arguments: JSON.stringify({ path }) },
});
const made = (n: number): ChatCompletionMessageParam[] =>
  Array.from({ length: n }, () => [
    { role: 'assistant' as const, content: null, tool_calls: [call('a')] },
    { role: 'tool' as const, tool_call_id: 'call_a', content: 'same' },
  ]).flat();
const head = { id: 'chatcmpl-1', created: 1, model: 'm' };

/** An answer with one call per choice, or a text in place of an empty path. */
function answerWith(paths: readonly string[], isStream: boolean): ApiReply {
  if (!isStream) {
    const choices = paths.map((path, index) => ({
      index,
      message:
        path === ''
          ? { role: 'assistant', content: 'Done.' }
          : { role: 'assistant', content: null, tool_calls: [call(path)] },
      finish_reason: path === '' ? 'stop' : 'tool_calls',
    }));
    return { json: { ...head, object: 'chat.completion', choices } };
  }
  const chunk = (index: number, delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;
  // The choices are interleaved, and the role comes with the call.
  const parts = paths.map((path) => JSON.stringify({ path }));
  const begin = paths.map((path, index) => {
    if (path === '') return chunk(index, { role: 'assistant', content: 'Done.' });
    const { id, type, function: made } = call(path);
    const start = { index: 0, id, type, function: { name: made.name, arguments: '' } };
    return chunk(index, { role: 'assistant', content: null, tool_calls: [start] });
  });
  const halves = [0, 1].flatMap((half) =>
    parts.flatMap((text, index) => {
      if (paths[index] === '') return [];
      const args = half === 0 ? text.slice(0, 4) : text.slice(4);
      return [chunk(index, { tool_calls: [{ index: 0, function: { arguments: args } }] })];
    }),
  );
  const ends = paths.map((path, index) => chunk(index, {}, path === '' ? 'stop' : 'tool_calls'));
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [...begin, ...halves, ...ends, 'data: [DONE]\n\n'],
  };
}

/** Calls and text of each choice, as the official client assembles them. */
async function ask(bench: GatewayBench, history: ChatCompletionMessageParam[], n: number, isStream: boolean) {
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go' }, ...history];
  const client = bench.openai('s');
  const { choices } = isStream
    ? await client.chat.completions.stream({ model: 'm', n, messages }).finalChatCompletion()
    : await client.chat.completions.create({ model: 'm', n, messages });
  return choices.map(({ message, finish_reason: finish }) => ({
    calls: (message.tool_calls ?? []).map((one) => 'function' in one && one.function.arguments),
    text: message.content,
    finish,
  }));
}

describe.each([false, true])('several choices (streamed: %s)', (isStream) => {
  const flags = { 'gateway.on_block': 'message' };
  const whole = (path: string) => ({ calls: [`{"path":"${path}"}`], text: null, finish: 'tool_calls' });
  const done = { calls: [], text: 'Done.', finish: 'stop' };
  const stopped = {
    calls: [],
    text: expect.stringContaining("Tool call loop detected: 'read_file'") as unknown,
    finish: 'stop',
  };

  it.each([
    { paths: ['a', 'b', 'c'], got: [stopped, whole('b'), whole('c')] },
    { paths: ['', 'a', 'c'], got: [done, stopped, whole('c')] },
    { paths: ['a', 'b', 'a'], got: [stopped, whole('b'), stopped] },
    { paths: ['b', 'c', 'a'], got: [whole('b'), whole('c'), stopped] },
    { paths: ['b', 'a', 'a'], got: [whole('b'), stopped, stopped] },
    { paths: ['b', 'c', 'b'], got: [whole('b'), whole('c'), whole('b')] },
  ])('a loop in one of $paths leaves the others whole', async ({ paths, got }) => {
    await using bench = await GatewayBench.start(
      (_, i) => answerWith(i === 3 ? paths : ['a'], isStream),
      flags,
    );
    for (let n = 0; n < 3; n += 1) await ask(bench, made(n), 1, isStream);
    expect(await ask(bench, made(3), 3, isStream)).toEqual(got);
    expect(bench.texts('error')).toEqual([]);
    await bench.stop();
    // The loop is still open: no other choice has ended it.
    expect(bench.verdicts.map(({ phase }) => phase)).toEqual(got.includes(stopped) ? ['opened'] : []);
  });

  it('are forwarded unchanged without a loop', async () => {
    await using bench = await GatewayBench.start(() => answerWith(['a', 'b'], isStream), flags);
    expect(await ask(bench, [], 2, isStream)).toEqual([whole('a'), whole('b')]);
  });

  it('a choice that the client has not taken hides no loop, and all choices say that it was stopped', async () => {
    const offer = (name: string, args: object, n: number) => ({
      id: `${name}_${String(n)}`,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(args) },
    });
    await using bench = await GatewayBench.start(
      (_, n) => ({
        json: {
          ...head,
          object: 'chat.completion',
          choices: [offer('write_note', { n }, n), offer('read_file', { path: 'a' }, n)].map(
            (made, index) => ({
              index,
              message: { role: 'assistant', content: null, tool_calls: [made] },
              finish_reason: 'tool_calls',
            }),
          ),
        },
      }),
      { ...flags, preset: 'balanced' },
    );
    const history: ChatCompletionMessageParam[] = [];
    const got = [];
    for (let n = 0; n < 5; n += 1) {
      got.push(await ask(bench, history, 2, isStream && n === 4));
      const taken = offer('read_file', { path: 'a' }, n);
      history.push(
        { role: 'assistant', content: null, tool_calls: [taken] },
        { role: 'tool', tool_call_id: taken.id, content: 'Error: ENOENT: no such file or directory, open a' },
      );
    }
    expect(got.map((choices) => choices.map(({ finish }) => finish))).toEqual([
      ...Array<string[]>(4).fill(['tool_calls', 'tool_calls']),
      ['stop', 'stop'],
    ]);
    await bench.stop();
    // Results are in the log once, and so is the loop.
    expect(bench.events.filter(({ type }) => type === 'tool_result')).toHaveLength(4);
    expect(new Set(bench.events.map(({ sessionId }) => sessionId)).size).toBe(1);
  });
});
