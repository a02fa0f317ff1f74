import { type ModelOutput, modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { apiCases } from '../api-agents.ts';
import { GatewayBench } from '../harness.ts';
import { apis, call, Gate, read, readStream } from './streamed-requests.ts';

describe.each(apis)('a second reply after a chance ($name)', ({ name, path, body, keepAlive }) => {
  const mode = { 'tool_call_loop.mode': 'chance_then_break', 'tool_call_loop.max_repeats': 2 };
  const second: ModelOutput = { text: 'Let me think of something else now.', calls: [call('grep', 'b')] };

  it('second reply: its text is streamed at once', async () => {
    const gate = new Gate();
    await using bench = await GatewayBench.start(
      (request, i) =>
        i < 2
          ? modelReply(request, { text: 'Reading.', calls: [read] })
          : gate.before(modelReply(request, second), (piece) => piece.includes('something')),
      mode,
    );
    await readStream(bench, path, body, () => undefined);
    let early = '';
    const all = await readStream(bench, path, body, (_, soFar) => {
      if (!soFar.includes('think')) return;
      early ||= soFar;
      gate.open();
    });
    expect(early).not.toContain('else');
    expect(bench.upstream.requests[2]?.json['stream']).toBe(true);
    expect(all).toContain('else');
  });

  it('second reply: keep-alives of both replies are forwarded, and are no part of the stream', async () => {
    await using bench = await GatewayBench.start((request) => {
      const reply = modelReply(request, { calls: [read] });
      if (typeof reply !== 'object' || !('chunks' in reply)) throw new Error('an answer that is no stream');
      return { ...reply, chunks: [keepAlive, ...reply.chunks] };
    }, mode);
    await readStream(bench, path, body, () => undefined);
    const events: Record<string, unknown>[] = [];
    const all = await readStream(bench, path, body, (event) => events.push(event));
    expect(all).toContain('Tool call loop detected');
    // A reply of Messages has one of its own.
    expect(all.match(/PROCESSING|"ping"|"keepalive"/g)).toHaveLength(name === 'Messages' ? 4 : 2);
    const chunks = events.filter((event) => 'choices' in event);
    expect(chunks.every(({ id, model }) => typeof id === 'string' && model === 'm')).toBe(true);
  });

  it('second reply: the official client reads one reply', async () => {
    await using bench = await GatewayBench.start(
      (request, i) => modelReply(request, i < 2 ? { text: 'Reading.', calls: [read] } : second),
      mode,
    );
    const agent = apiCases.find((each) => each.name.startsWith(name))!.agent(bench, true, 's-1', 'Go on');
    await agent.turn();
    const got = await agent.turn();
    expect(got.calls).toEqual(['grep {"path":"b"}']);
    expect(got.text?.replace(/\s+/g, ' ')).toMatch(/^Reading\. ?Let me think of something else now\.$/);
  });

  it('second reply: the same call is blocked', async () => {
    await using bench = await GatewayBench.start(
      (request) => modelReply(request, { text: 'Reading.', calls: [read] }),
      mode,
    );
    const { agent: create, error } = apiCases.find((each) => each.name.startsWith(name))!;
    const agent = create(bench, true, 's-1', 'Go on');
    await agent.turn();
    const broken = await agent.turn();
    expect(broken).toMatchObject({ calls: [], finish: error });
    expect(broken.text).toContain('Tool call loop detected');
  });

  it('second reply: a JSON reply is continued as a stream', async () => {
    await using bench = await GatewayBench.start((request, i) => {
      if (i < 2) return modelReply(request, { text: 'Reading.', calls: [read] });
      return modelReply({ ...request, json: { ...request.json, stream: false } }, second);
    }, mode);
    const agent = apiCases.find((each) => each.name.startsWith(name))!.agent(bench, true, 's-1', 'Go on');
    await agent.turn();
    expect((await agent.turn()).calls).toEqual(['grep {"path":"b"}']);
  });

  it('second reply: a JSON reply that is too large ends the loop, and the log has the limit', async () => {
    await using bench = await GatewayBench.start(
      (request, i) => {
        if (i < 2) return modelReply(request, { calls: [read] });
        const whole = { ...request, json: { ...request.json, stream: false } };
        return modelReply(whole, { text: 'x'.repeat(10_000) });
      },
      { ...mode, 'gateway.max_held_bytes': 4_096 },
    );
    await readStream(bench, path, body, () => undefined);
    const told = await readStream(bench, path, body, () => undefined);
    expect(told).toContain('Tool call loop detected');
    expect(bench.texts('warn').join()).toContain('gateway.max_held_bytes');
    expect(await bench.registry.metrics()).toContain('upstream_failures_total{failure="cut"} 1');
  });
});
