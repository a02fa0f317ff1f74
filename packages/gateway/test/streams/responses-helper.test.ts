import { modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { GatewayBench } from '../harness.ts';
import { call, read } from './streamed-requests.ts';

describe('Responses stream helper', () => {
  it('Responses stream helper: a blocked reply ends like one of the model', async () => {
    await using bench = await GatewayBench.start((request) =>
      modelReply(request, { text: 'Reading.', calls: [read] }),
    );
    const finals: { text: string; calls: number; last: string | undefined }[] = [];
    for (let i = 0; i < 4; i += 1) {
      const stream = bench.openai('s-1').responses.stream({ model: 'm', input: 'Go on' });
      let last: string | undefined;
      for await (const event of stream) last = event.type;
      const final = await stream.finalResponse();
      const calls = final.output.filter(({ type }) => type === 'function_call').length;
      const text = final.output
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : ''))
        .join('');
      finals.push({ text, calls, last });
    }
    expect(finals.slice(0, 3)).toEqual(
      Array(3).fill({ text: 'Reading.', calls: 1, last: 'response.completed' }),
    );
    expect(finals[3]).toMatchObject({ calls: 0, last: 'response.completed' });
    expect(finals[3]?.text).toContain('Tool call loop detected');
  });

  it('Responses stream helper: sees one reply after a chance', async () => {
    await using bench = await GatewayBench.start(
      (request, i) =>
        modelReply(
          request,
          i < 4 ? { text: 'Reading.', calls: [read] } : { text: 'Well.', calls: [call('grep', 'b')] },
        ),
      { 'tool_call_loop.mode': 'chance_then_break' },
    );
    for (let i = 0; i < 3; i += 1)
      await bench.openai('s-1').responses.stream({ model: 'm', input: 'Go on' }).finalResponse();
    const stream = bench.openai('s-1').responses.stream({ model: 'm', input: 'Go on' });
    const final = await stream.finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual(['message', 'message', 'function_call']);
    expect(final.status).toBe('completed');
  });
});
