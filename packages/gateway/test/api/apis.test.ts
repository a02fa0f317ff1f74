import { type ApiReply, type ApiRequest, type ModelOutput, modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { apiCases } from '../api-agents.ts';
import { GatewayBench, type Script } from '../harness.ts';

const read: ModelOutput = { calls: [{ name: 'read_file', args: { path: 'a' } }] };
const search: ModelOutput = { calls: [{ name: 'grep', args: { pattern: 'b' } }] };
const says =
  (...answers: readonly ModelOutput[]): Script =>
  (request, index) =>
    modelReply(request, answers[Math.min(index, answers.length - 1)] ?? {});
const cases = apiCases.flatMap((api) => [false, true].map((stream) => ({ ...api, api: api.name, stream })));

describe.each(cases)(
  '$api (streamed: $stream)',
  ({ agent, stream, calling, finished, error, limited, lastResult, noChoice, choiceKey = 'tool_choice' }) => {
    const start = (bench: GatewayBench, prompt = 'Fix it') => agent(bench, stream, 's-1', prompt);
    const chance = { 'tool_call_loop.mode': 'chance_then_break' };

    it('break: the fourth identical call is not forwarded, and the conversation can continue', async () => {
      await using bench = await GatewayBench.start(
        says({ text: 'I read it.', ...read }, read, read, read, { text: 'Sorry.' }),
      );
      const runs = start(bench);
      const got = await runs.turns(4);
      expect(got[0]).toEqual({ text: 'I read it.', calls: ['read_file {"path":"a"}'], finish: calling });
      expect(got[2]).toEqual({ text: null, calls: ['read_file {"path":"a"}'], finish: calling });
      expect(got[3]).toMatchObject({ calls: [], finish: error });
      expect(got[3]?.text).toContain(
        "Tool call loop detected: 'read_file' invoked with identical params 4 times within 120s.",
      );
      runs.say('Try something else');
      expect(await runs.turn()).toEqual({ text: 'Sorry.', calls: [], finish: finished });
      const last = JSON.stringify(bench.upstream.requests.at(-1)?.json);
      expect(last).toContain('Try something else');
      expect(last).not.toContain('resp_loopwatch');
      expect(bench.texts('error')).toEqual([]);
    });

    it('on_block message: the reply ends like one of the model', async () => {
      await using bench = await GatewayBench.start(says(read), { 'gateway.on_block': 'message' });
      expect((await start(bench).turns(4))[3]).toMatchObject({ calls: [], finish: finished });
    });

    it('break: text before the call has reached the client', async () => {
      await using bench = await GatewayBench.start(says({ text: 'I read it.', ...read }));
      const got = await start(bench).turns(4);
      if (stream) expect(got[3]?.text).toMatch(/^I read it\.[^]*Tool call loop detected/);
      expect(got[3]?.text).toContain('Tool call loop detected');
    });

    it.each(['tool', 'assistant'])('chance: another call passes after guidance as %s', async (as) => {
      await using bench = await GatewayBench.start(
        says(read, read, read, { text: 'Hm.', ...read }, { text: 'So:', ...search }),
        {
          ...chance,
          'gateway.guidance_as': as,
        },
      );
      const runs = start(bench);
      await runs.turns(3);
      const got = await runs.turn();
      expect(got).toMatchObject({ calls: ['grep {"pattern":"b"}'], finish: calling });
      expect(got.text).toContain('So:');
      const again = bench.upstream.requests[4];
      expect(JSON.stringify(again?.json)).toContain('You have called read_file 4 times within 120 seconds');
      expect(lastResult(again?.json ?? {}).includes('You have called read_file')).toBe(as === 'tool');
      expect((await runs.turn()).finish).toBe(calling);
      expect(bench.texts('error')).toEqual([]);
    });

    it('chance: the same call again is blocked', async () => {
      await using bench = await GatewayBench.start(says(read), chance);
      const got = await start(bench).turns(4);
      expect(got[3]).toMatchObject({ calls: [], finish: error });
      expect(got[3]?.text).toContain('5 times');
      expect(bench.upstream.requests).toHaveLength(5);
    });

    it.each<[string, ApiReply]>([
      ['refused', { status: 400, json: { error: { message: 'bad' } } }],
      ['out of service', { status: 503, json: { error: { message: 'busy' } } }],
      ['of another kind', { chunks: ['<html>'], headers: { 'content-type': 'text/html' } }],
      ['gone', 'hang up'],
    ])(
      'chance: a retry that is %s ends the loop, as no request of the client has failed',
      async (_, failed) => {
        const script: Script = (request, i) => (i === 4 ? failed : says(read)(request, i));
        await using bench = await GatewayBench.start(script, chance);
        const runs = start(bench);
        await runs.turns(3);
        const got = await runs.turn();
        expect(got).toMatchObject({ calls: [], finish: error });
        expect(got.text).toContain(
          "Tool call loop detected: 'read_file' invoked with identical params 4 times",
        );
        expect(await bench.registry.metrics()).toContain('upstream_failures_total{failure=');
        expect(bench.texts('error')).toEqual([]);
      },
    );

    it('tool call limit: stated in the last result, with tool choice off', async () => {
      await using bench = await GatewayBench.start(
        (request, i) =>
          i < 2
            ? modelReply(request, { calls: [{ name: 'grep', args: { at: i } }] })
            : modelReply(request, { text: 'In sum.' }),
        { 'tool_call_limit.max_turns': 2 },
      );
      const runs = start(bench);
      runs.result = '{"count": 1}';
      expect((await runs.turns(3))[2]).toEqual({ text: 'In sum.', calls: [], finish: finished });
      const last = bench.upstream.requests[2]?.json ?? {};
      expect(JSON.parse(lastResult(last))).toEqual({
        count: 1,
        limit_reached: true,
        limit_message: 'Tool call limit reached (2). Stopping tool loop.',
      });
      expect(last[choiceKey]).toEqual(noChoice);
    });

    it.each([
      { onBlock: 'error', ends: limited },
      { onBlock: 'message', ends: finished },
    ])(
      'model request limit: blocks the request after the last allowed one, as $onBlock',
      async ({ onBlock, ends }) => {
        await using bench = await GatewayBench.start(says(read, search, read), {
          'turn_requests.max_turn_requests': 2,
          'gateway.on_block': onBlock,
        });
        const got = await start(bench).turns(3);
        expect(got[2]).toMatchObject({ calls: [], finish: ends });
        expect(bench.upstream.requests).toHaveLength(2);
      },
    );

    it('chat commands: neither commands nor replies go to the model', async () => {
      await using bench = await GatewayBench.start(says(read));
      const runs = start(bench, '!/set(tool-loop-max-repeats=2)');
      expect(await runs.turn()).toEqual({
        text: '[Loopwatch] tool_call_loop.max_repeats is 2 in this session',
        calls: [],
        finish: finished,
      });
      runs.say('Read it');
      expect((await runs.turns(2)).map(({ finish }) => finish)).toEqual([calling, error]);
      expect(bench.upstream.requests).toHaveLength(2);
      const [first] = bench.upstream.requests;
      expect(JSON.stringify(first?.json)).not.toMatch(/!\/|Loopwatch/);
    });

    it('a looping text is cut off', async () => {
      const loop = 'I will check the configuration file again to see what is wrong. '.repeat(300);
      const script: Script = (request) =>
        stream ? endless(modelReply(request, { text: loop })) : modelReply(request, { text: loop });
      await using bench = await GatewayBench.start(script, { preset: 'stream' });
      const got = await start(bench).turn();
      expect(got.finish).toBe(finished);
      expect(got.text).toMatch(/^I will check[^]*Loop detected: /);
      expect(got.text?.length).toBeLessThan(5_000);
      if (stream) expect(await bench.upstream.requests[0]?.closed).toBe('client gone');
    });

    it('a malformed request is passed through', async () => {
      const replies: ApiReply[] = [
        { json: { hello: 1 } },
        { status: 400, json: { error: { message: 'bad request' } } },
      ];
      await using bench = await GatewayBench.start((_, i) => replies[i] ?? 'hang up');
      const runs = start(bench);
      await runs.turn().catch(() => undefined);
      await expect(runs.turn()).rejects.toThrow('bad request');
      expect(bench.texts('error')).toEqual([]);
    });

    it('events have model and backend', async () => {
      await using bench = await GatewayBench.start((request: ApiRequest) =>
        modelReply(request, { text: 'Yes', ...read }),
      );
      await start(bench).turns(2);
      await bench.stop();
      const kinds = bench.events.map(({ type }) => type).filter((type) => type !== 'content');
      expect(kinds).toEqual([
        'prompt_started',
        'turn_started',
        'tool_call_request',
        'turn_finished',
        'tool_result',
        'turn_started',
        'tool_call_request',
        'turn_finished',
      ]);
      expect(bench.events.at(-1)).toMatchObject({ usage: { inputTokens: 10, outputTokens: 5 } });
      expect(new Set(bench.events.map(({ sessionId }) => sessionId)).size).toBe(1);
    });
  },
);

/** The stream without its end: a model that degenerates goes on for ever. */
function endless(reply: ApiReply): ApiReply {
  if (typeof reply === 'string' || !('chunks' in reply)) return reply;
  const upTo = reply.chunks.findLastIndex((chunk) => typeof chunk === 'string' && chunk.includes('wrong'));
  return { ...reply, chunks: reply.chunks.slice(0, upTo - 4), then: 'hang' };
}
