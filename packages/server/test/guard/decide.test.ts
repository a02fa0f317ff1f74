import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { START, verdict } from '../verdicts.ts';
import { advised, hookedServer } from './hooked-server.ts';

const hooks = hookedServer();
const { recorded, send, stored } = hooks;

describe('POST /decide', () => {
  const looping = async () => {
    const call = { sessionId: 's-1', type: 'tool_call_request', name: 'get', args: { id: 1 } };
    const result = { sessionId: 's-1', type: 'tool_result', result: 'not found', isError: true };
    await send('/decide', { sessionId: 's-1', name: 'get', args: { id: 1 } });
    for (let n = 0; n < 3; n += 1) await send('/events', [call, result]);
  };

  it('denies a call that continues a loop, and records nothing', async () => {
    await looping();
    const before = recorded().length;
    expect(await send('/decide', { sessionId: 's-1', name: 'get', args: '{"id":1}' })).toEqual({
      status: 200,
      body: {
        action: 'deny',
        reason: expect.stringContaining('was called 3 times in a row and failed the same way'),
        guidance: expect.stringMatching(advised),
        incidentId: expect.stringMatching(/^i-/),
      },
    });
    expect(await send('/decide', { sessionId: 's-1', name: 'get', args: { id: 2 } })).toMatchObject({
      body: { action: 'allow', reason: null, guidance: null, incidentId: null },
    });
    expect(recorded()).toHaveLength(before);
  });

  it.each([
    ['before their calls', (n: number) => `c-${String(n)}`],
    ['under other ids than their calls', (n: number) => `r-${String(n)}`],
  ])('denies a call whose results are posted %s', async (_, idOf) => {
    const call = { sessionId: 's-1', name: 'get', args: { id: 1 } };
    const result = { sessionId: 's-1', type: 'tool_result', result: 'not found', isError: true };
    const actions: unknown[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { body } = await send('/decide', call);
      actions.push((body as { action: string }).action);
      await send('/events', [
        { ...result, callId: idOf(n) },
        { ...call, type: 'tool_call_request', callId: `c-${String(n)}` },
      ]);
    }
    expect(actions.slice(0, 3)).toEqual(['allow', 'allow', 'allow']);
    expect(actions.at(-1)).toBe('deny');
  });

  it('ends the turn once refused calls were reported three times, in whatever words', async () => {
    await looping();
    const call = { sessionId: 's-1', type: 'tool_call_request', name: 'get', args: { id: 1 } };
    const refused = { sessionId: 's-1', type: 'tool_result', result: 'Not run: it repeats.', denied: true };
    const actions: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      actions.push((await send('/decide', { sessionId: 's-1', name: 'get', args: { id: 1 } })).body);
      await send('/events', [call, refused]);
    }
    expect(actions).toMatchObject([{ action: 'deny' }, { action: 'deny' }, { action: 'stop' }]);
  });

  it.each([
    ['/decide', (id: string) => `{"sessionId":"s-1","name":"get","args":{"id":${id}}}`, 'action', 'deny'],
    [
      '/hooks/generic',
      (id: string) => `{"session":"s-1","event":"before","tool":"get","arguments":{"id":${id}}}`,
      'denied',
      true,
    ],
  ])('keeps the digits of long ids: %s', async (path, body, field, denied) => {
    const [looping, other] = ['1212345678901234001', '1212345678901234002'];
    const call = (id: string) =>
      `{"sessionId":"s-1","type":"tool_call_request","name":"get","args":{"id":${id}}}`;
    const result = '{"sessionId":"s-1","type":"tool_result","result":"not found","isError":true}';
    await send('/decide', { sessionId: 's-1', name: 'get' });
    for (let n = 0; n < 3; n += 1) await send('/events', `${call(looping)}\n${result}`);
    expect(await send(path, body(looping))).toMatchObject({ body: { [field]: denied } });
    expect(await send(path, body(other))).not.toMatchObject({ body: { [field]: denied } });
  });

  it.each([
    ['', 'sessionId'],
    ['{"sessionId":', 'JSON'],
  ])('rejects a body that is no call: %j', async (body, detail) => {
    expect(await send('/decide', body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(detail) },
    });
  });

  it('rejects a call without a session', async () => {
    expect(await send('/decide', { name: 'get' })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('sessionId') },
    });
  });

  it('uses stored open incidents for an unknown session, unless they are false positives', async () => {
    const analyzer = createSessionAnalyzer({ preset: 'stream' });
    const call = { sessionId: 's-9', type: 'tool_call_request', name: 'get', args: { id: 7 } } as const;
    for (let n = 0; n < 5; n += 1)
      for (const found of analyzer.push({ ...call, time: hooks.clock }))
        hooks.log.appendVerdict({ ...found, incidentId: 'i-7', detectedAt: hooks.clock });
    await stored();
    const ask = () => send('/decide', { sessionId: 's-9', name: 'get', args: { id: 7 } });
    expect(await ask()).toMatchObject({
      body: {
        action: 'deny',
        guidance: expect.stringContaining('You have called get 5 times'),
        incidentId: 'i-7',
      },
    });
    expect(await send('/decide', { sessionId: 's-9', name: 'get', args: { id: 8 } })).toMatchObject({
      body: { action: 'allow' },
    });
    await send('/incidents/i-7', { status: 'false_positive' }, 'PATCH');
    expect(await ask()).toMatchObject({ body: { action: 'allow' } });
    await send('/incidents/i-7', { status: 'muted', mutedUntil: hooks.clock + 60_000 }, 'PATCH');
    expect(await ask()).toMatchObject({ body: { action: 'allow' } });
    hooks.clock += 60_000;
    expect(await ask()).toMatchObject({ body: { action: 'deny' } });
  });

  it('ignores incidents from before the latest prompt', async () => {
    const limit = { kind: 'limit', detector: 'tool-limit', action: 'block', tool: null } as const;
    hooks.log.appendVerdict(verdict({ incidentId: 'i-8', sessionId: 's-9', time: START, ...limit }));
    await stored();
    const ask = () => send('/decide', { sessionId: 's-9', name: 'get', args: {} });
    expect(await ask()).toMatchObject({ body: { action: 'deny', incidentId: 'i-8' } });
    await send('/events', { sessionId: 's-9', type: 'prompt_started', text: 'Go on', time: START + 5_000 });
    expect(await ask()).toMatchObject({ body: { action: 'allow' } });
  });

  it('applies changed settings', async () => {
    await looping();
    await send(
      '/settings/server',
      { set: { 'tool_call_loop.mode': 'warn', 'stagnation.enabled': false } },
      'PUT',
    );
    hooks.clock += 2_000;
    const call = { sessionId: 's-2', type: 'tool_call_request', name: 'get', args: { id: 1 } };
    const result = { sessionId: 's-2', type: 'tool_result', result: 'not found', isError: true };
    await send('/decide', { sessionId: 's-2', name: 'get', args: { id: 1 } });
    for (let n = 0; n < 3; n += 1) await send('/events', [call, result]);
    expect(await send('/decide', { sessionId: 's-2', name: 'get', args: { id: 1 } })).toMatchObject({
      body: { action: 'warn', reason: expect.stringContaining('3 times in a row'), guidance: null },
    });
  });
});
