import type { ApiReply, ApiRequest } from '@loopwatch/testkit';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { GatewayBench } from '../harness.ts';

const head = { object: 'response', created_at: 1, model: 'm', background: true };
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const callOf = (id: string) => ({
  type: 'function_call' as const,
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: 'read_file',
  arguments: '{"path":"a"}',
});

/** An API that makes each reply in the background: it is complete at the second fetch. */
function backgroundApi(): (request: ApiRequest) => ApiReply {
  let made = 0;
  const fetched = new Map<string, number>();
  return ({ method, path }) => {
    if (method === 'POST') {
      made += 1;
      return { json: { ...head, id: `resp_${String(made)}`, status: 'queued', output: [] } };
    }
    const id = path.split('/').at(-1) ?? '';
    const times = (fetched.get(id) ?? 0) + 1;
    fetched.set(id, times);
    const isDone = times > 1;
    const output = isDone ? [callOf(id)] : [];
    return { json: { ...head, id, status: isDone ? 'completed' : 'in_progress', output, usage } };
  };
}

/** The reply to a request once it is complete, as the official client fetches it. */
async function complete(bench: GatewayBench, input: ResponseInput | string, previous?: string) {
  const client = bench.openai('s');
  const body = { model: 'm', input, background: true };
  const { id, status } = await client.responses.create(
    previous === undefined ? body : { ...body, previous_response_id: previous },
  );
  expect(status).toBe('queued');
  expect((await client.responses.retrieve(id)).status).toBe('in_progress');
  return client.responses.retrieve(id);
}

async function loop(bench: GatewayBench) {
  let reply = await complete(bench, 'Go');
  for (let n = 2; n <= 4; n += 1) {
    expect(reply.output).toMatchObject([{ type: 'function_call' }]);
    const output = { type: 'function_call_output' as const, call_id: `call_${reply.id}`, output: 'same' };
    reply = await complete(bench, [output], reply.id);
  }
  return reply;
}

describe('a reply made in the background', () => {
  it('is judged once it is complete, and the same at each fetch', async () => {
    await using bench = await GatewayBench.start(backgroundApi());
    const blocked = await loop(bench);
    expect(blocked).toMatchObject({ id: 'resp_4', status: 'completed', output: [{ type: 'message' }] });
    expect(blocked.output_text).toContain("Tool call loop detected: 'read_file' invoked with identical");
    expect(await bench.openai('s').responses.retrieve('resp_4')).toEqual(blocked);
    expect(bench.texts('error')).toEqual([]);
  });

  it('can be continued from, though the API does not know the message', async () => {
    await using bench = await GatewayBench.start(backgroundApi());
    const { id } = await loop(bench);
    await bench.openai('s').responses.create({ model: 'm', input: 'And now?', previous_response_id: id });
    const { json } = bench.upstream.requests.at(-1) ?? {};
    expect(json?.['previous_response_id']).toBe('resp_3');
    expect(JSON.stringify(json?.['input'])).toContain('Tool call loop detected');
  });

  it('counts a complete reply once, however often it is fetched', async () => {
    await using bench = await GatewayBench.start(backgroundApi());
    const reply = await complete(bench, 'Go');
    for (let n = 0; n < 6; n += 1)
      expect(await bench.openai('s').responses.retrieve(reply.id)).toEqual(reply);
    await bench.stop();
    expect(bench.events.filter(({ type }) => type === 'tool_call_request')).toHaveLength(1);
  });

  it('is counted as unjudged if it is streamed later', async () => {
    await using bench = await GatewayBench.start(backgroundApi());
    const { id } = await bench.openai('s').responses.create({ model: 'm', input: 'Go', background: true });
    await fetch(`${bench.url}/v1/responses/${id}?stream=true`);
    expect(bench.texts('warn').join('\n')).toContain(
      'through unjudged: its reply was made in the background',
    );
  });
});

it('a call without any input that is known is counted and logged once', async () => {
  const output = [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' }];
  await using bench = await GatewayBench.start(() => ({
    json: { ...head, id: 'resp_1', status: 'completed', output },
  }));
  for (let n = 0; n < 2; n += 1) await bench.openai('s').responses.create({ model: 'm', input: 'Go' });
  const warned = bench.texts('warn').filter((text) => text.includes('call of type image_generation_call'));
  expect(warned).toHaveLength(1);
  expect(await bench.registry.metrics()).toContain('loopwatch_gateway_unjudged_total{reason="call"} 2');
});
