import type { Content, GenerateContentResponse } from '@google/genai';
import { type ApiReply, modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { says } from '../agent.ts';
import { GatewayBench } from '../harness.ts';

const call = (path: string) => ({ functionCall: { name: 'read_file', args: { path } } });
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const made = (n: number): Content[] =>
  Array.from({ length: n }, () => [
    { role: 'model', parts: [call('a')] },
    { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output: 'same' } } }] },
  ]).flat();

const forms = [
  { form: 'whole', path: ':generateContent' },
  { form: 'server-sent events', path: ':streamGenerateContent?alt=sse' },
  { form: 'a JSON array', path: ':streamGenerateContent' },
];

async function ask(bench: GatewayBench, path: string, body: object): Promise<string> {
  const response = await fetch(`${bench.url}/v1beta/models/gemini-3-pro${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': 'k' },
    body: JSON.stringify(body),
  });
  return response.text();
}

/** The records of a reply in any form. */
function recordsIn(text: string): GenerateContentResponse[] {
  const written = text.startsWith('data:')
    ? [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => json)
    : [text];
  return written.flatMap((json) => JSON.parse(json) as GenerateContentResponse | GenerateContentResponse[]);
}

describe.each(forms)('several candidates as $form', ({ form, path }) => {
  const candidates = (paths: readonly string[]) =>
    paths.map((each, index) => ({
      content: { role: 'model', parts: each === '' ? [{ text: 'Done.' }] : each.split('+').map(call) },
      finishReason: 'STOP',
      index,
    }));
  const replyWith = (paths: readonly string[]): ApiReply => {
    const records = candidates(paths).map((each) => ({ candidates: [each], usageMetadata: {} }));
    if (form === 'whole') return { json: { candidates: candidates(paths), usageMetadata: {} } };
    if (form === 'a JSON array')
      return { headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(records)] };
    return { chunks: records.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`) };
  };
  /** What each candidate says or calls. */
  const got = (text: string): string[] => {
    const said: string[] = [];
    for (const { candidates: each = [] } of recordsIn(text))
      for (const { index = 0, content } of each)
        for (const part of content?.parts ?? [])
          said[index] = (said[index] ?? '') + (part.text ?? JSON.stringify(part.functionCall?.args));
    return said;
  };
  const stopped = expect.stringMatching(/^Tool call loop detected: 'read_file'/) as string;

  it.each([
    { paths: ['a', 'b', 'c'], said: [stopped, '{"path":"b"}', '{"path":"c"}'] },
    { paths: ['', 'a', 'c'], said: ['Done.', stopped, '{"path":"c"}'] },
    { paths: ['b', 'a', 'c'], said: ['{"path":"b"}', stopped, '{"path":"c"}'] },
    { paths: ['b', 'c+a', ''], said: ['{"path":"b"}', '{"path":"c"}{"path":"a"}', 'Done.'] },
    { paths: ['b', 'c', ''], said: ['{"path":"b"}', '{"path":"c"}', 'Done.'] },
  ])('a loop in one of $paths leaves the others whole', async ({ paths, said }) => {
    await using bench = await GatewayBench.start(() => replyWith(paths));
    const contents = [user('Go'), ...made(3)];
    const generationConfig = { candidateCount: 3 };
    const text = await ask(bench, path, { contents, generationConfig });
    expect(got(text)).toEqual(said);
  });
});

describe.each(forms)('Gemini as $form', ({ form, path }) => {
  it('keeps what the model has to get back with its calls, and the ids of these', async () => {
    const first = { text: 'I read.', calls: [{ name: 'read_file', args: { path: 'a' }, id: 'c-4' }] };
    await using bench = await GatewayBench.start(says(first, { text: 'Done.' }), {
      'tool_call_loop.mode': 'chance_then_break',
    });
    await ask(bench, path, { contents: [user('Go'), ...made(3)] });
    const contents = bench.upstream.requests[1]?.json['contents'] as Content[];
    expect(contents.at(-2)?.parts?.find((part) => part.functionCall)).toEqual({
      functionCall: { id: 'c-4', name: 'read_file', args: { path: 'a' } },
      thoughtSignature: 'c2lnbmF0dXJl',
    });
    expect(contents.at(-1)).toEqual({
      role: 'user',
      parts: [
        {
          functionResponse: {
            id: 'c-4',
            name: 'read_file',
            response: { error: expect.stringContaining('You have called read_file') as unknown },
          },
        },
      ],
    });
  });

  it('tells the model of a loop beside its last results, before the call that would go on', async () => {
    await using bench = await GatewayBench.start(says({ text: 'Done.' }), { preset: 'balanced' });
    await ask(bench, path, { contents: [user('Go'), ...made(3)] });
    const { parts } = (bench.upstream.requests[0]?.json['contents'] as Content[]).at(-1) ?? {};
    expect(parts).toEqual([
      made(1)[1]?.parts?.[0],
      { text: expect.stringContaining('read_file') as unknown },
    ]);
  });

  it('a command is answered, and the model gets neither', async () => {
    await using bench = await GatewayBench.start(says({ text: 'Done.' }));
    const contents = [user('!/set(tool-loop-max-repeats=2)')];
    const reply = recordsIn(await ask(bench, path, { contents }));
    const text = reply.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])[0]?.text ?? '';
    expect(text).toContain('max_repeats is 2');
    const next = [...contents, { role: 'model', parts: [{ text }] }, user('Go')];
    await ask(bench, path, { contents: next });
    expect(bench.upstream.requests[0]?.json['contents']).toEqual([user('Go')]);
  });

  it('an upstream that breaks off after a chance is a stop in the form of the API', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        i === 0
          ? modelReply(request, { text: 'Hm.', calls: [{ name: 'read_file', args: { path: 'a' } }] })
          : 'hang up',
      { 'tool_call_loop.mode': 'chance_then_break' },
    );
    const text = await ask(bench, path, { contents: [user('Go'), ...made(3)] });
    expect(recordsIn(text).at(-1)).toHaveProperty('loopwatch');
    if (form !== 'whole') expect(text).toContain('Hm.');
  });
});
