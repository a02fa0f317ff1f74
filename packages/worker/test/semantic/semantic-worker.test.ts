import { type DetectionInput, settingsSchema } from '@loopwatch/contract';
import { type ModelReply, type ModelServer, startModelServer, waitFor } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modelClient } from '../../src/index.ts';
import { calls, metric, records, startWorker } from '../fakes.ts';

const json = (confidence: number) => JSON.stringify({ analysis: 'back and forth', confidence });
const turns = (count: number, sessionId = 's') =>
  Array.from({ length: count }, () => ({ sessionId, type: 'turn_started' }));

/** A worker whose model is behind a real HTTP server that follows a script; its last reply is repeated. */
async function start(
  script: readonly ModelReply[],
  semantic: DetectionInput['semantic'] = {},
  llm: Record<string, string> = {},
) {
  const server = await startModelServer((_, i) => script[Math.min(i, script.length - 1)]!);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const settings = settingsSchema.parse({ llm: { base_url: server.url, model: 'judge', ...llm } });
  const detection: DetectionInput = { preset: 'stream', semantic: { after_turns: 3, ...semantic } };
  const made = await startWorker(detection, 'debug', modelClient(settings.llm));
  onTestFinished(() => made.worker.stop());
  const result = (name: string) => metric(made.registry, `loopwatch_semantic_checks_total{result="${name}"}`);
  return { ...made, server, result };
}
const formats = ({ requests }: ModelServer) =>
  requests.map(({ body }) => body.response_format?.type ?? 'plain');

describe('a worker with a model', () => {
  it('semantic checks: verdict and record of the answer are published when it arrives', async () => {
    const { log, server, result, registry } = await start([{ text: json(0.95) }], {}, { api_key: 'k' });
    await log.deliver(records(0, turns(4)));
    expect(log.commits).toEqual(['0@4']);
    await waitFor(() => log.verdicts.length === 1);
    expect(log.verdicts).toMatchObject([
      { phase: 'opened', detector: 'semantic', eventIndex: 2, confidence: 0.95, source: { offset: '2' } },
    ]);
    expect(log.checks).toMatchObject([
      {
        sessionId: 's',
        turn: 3,
        model: 'judge',
        analysis: 'back and forth',
        confidence: 0.95,
        failure: null,
      },
    ]);
    expect(log.published.find(({ topic }) => topic.endsWith('checks'))?.key).toBe(log.checks[0]!.id);
    expect(await result('loop')).toBe(1);
    expect(await metric(registry, 'loopwatch_semantic_check_duration_seconds_count')).toBe(1);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k' },
      body: { model: 'judge', response_format: { type: 'json_schema' }, messages: [{ role: 'system' }, {}] },
    });
  });

  it('semantic checks: tokens are counted, also those of a malformed answer', async () => {
    const usage = { promptTokens: 900, completionTokens: 40 };
    const { log, registry, server } = await start([
      { text: 'no idea', usage },
      { text: json(0.1), usage },
    ]);
    await log.deliver(records(0, turns(3)));
    await waitFor(() => log.checks.length === 1);
    expect(server.requests).toHaveLength(2);
    expect(await metric(registry, 'loopwatch_semantic_tokens_total{kind="input"}')).toBe(1800);
    expect(await metric(registry, 'loopwatch_semantic_tokens_total{kind="output"}')).toBe(80);
  });

  it('semantic checks: all sessions continue while the model answers', async () => {
    let release: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { log, server } = await start([{ text: json(1), after }]);
    await log.deliver(records(0, turns(3)));
    await waitFor(() => server.requests.length === 1);
    await log.deliver(records(3, [...calls(5, { sessionId: 'other' }), ...turns(9), ...turns(2, 'third')]));
    expect(log.commits).toEqual(['0@3', '0@19']);
    expect(log.verdicts.map(({ sessionId, detector }) => [sessionId, detector])).toEqual([
      ['other', 'tool-repeat'],
    ]);
    release();
    await waitFor(() => log.verdicts.length === 2);
    expect(log.verdicts[1]).toMatchObject({ sessionId: 's', eventIndex: 2 });
    expect(server.requests).toHaveLength(1);
  });

  it('semantic checks: an answer is discarded once its prompt has ended', async () => {
    let release: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { log, server, result } = await start([{ text: json(1), after }]);
    await log.deliver(records(0, [...turns(3)]));
    await waitFor(() => server.requests.length === 1);
    await log.deliver(records(3, [{ sessionId: 's', type: 'prompt_started' }]));
    release();
    await waitFor(async () => (await result('discarded')) === 1);
    expect(log.verdicts).toEqual([]);
  });

  it.each<[string, ModelReply[], Record<string, number>]>([
    ['an error, then an answer', [{ status: 500 }, { text: json(0.95) }], { error: 1, loop: 1 }],
    ['too many requests', [{ status: 429 }], { error: 2 }],
    ['a broken connection', ['hang up'], { error: 2 }],
    ['a response that is not JSON', [{ raw: '<html>' }], { error: 2 }],
    [
      'text instead of the requested form',
      [{ text: 'It loops.' }, { text: json(0.2) }],
      { malformed: 1, none: 1 },
    ],
    ['a confidence out of range', [{ text: json(95) }], { malformed: 2 }],
    ['a timeout', ['never'], { timeout: 2 }],
  ])('semantic checks: survive %s', async (_, script, expected) => {
    // A short time only for the model that never answers: a busy machine may need longer for one that does.
    const { log, result, server } = await start(script, {
      timeout_seconds: script.includes('never') ? 0.2 : 60,
    });
    await log.deliver(records(0, turns(4)));
    await waitFor(() => log.checks.length === 1);
    for (const name of ['loop', 'none', 'error', 'timeout', 'malformed', 'skipped', 'discarded'])
      expect([name, await result(name)]).toEqual([name, expected[name]]);
    expect(server.requests).toHaveLength(2);
    expect(log.verdicts).toHaveLength(expected['loop'] ?? 0);
  });

  it('semantic checks: a simpler response format is used, and remembered, if the server rejects the schema', async () => {
    const refuse: ModelReply = { status: 400, message: 'response_format is not supported' };
    const { log, server, result } = await start([refuse, refuse, { text: json(0.9) }]);
    await log.deliver(records(0, turns(9)));
    await waitFor(() => log.checks.length === 1);
    await log.deliver(records(9, turns(1)));
    await waitFor(() => log.checks.length === 2);
    expect(formats(server)).toEqual(['json_schema', 'json_object', 'plain', 'plain']);
    expect(await result('none')).toBe(2);
    expect(await result('error')).toBeUndefined();
  });

  it('semantic checks: the second model confirms a loop', async () => {
    const script: ModelReply[] = [{ text: json(1) }, { text: json(0.3) }];
    const { log, server } = await start(script, { second_opinion: true }, { second_model: 'wiser' });
    await log.deliver(records(0, turns(3)));
    await waitFor(() => log.checks.length === 1);
    expect(server.requests.map(({ body }) => body.model)).toEqual(['judge', 'wiser']);
    expect(log.verdicts).toEqual([]);
    expect(log.checks).toMatchObject([{ model: 'wiser', confidence: 0.3 }]);
  });

  it('semantic checks: checks over the limits are skipped and counted', async () => {
    const { log, server, result } = await start([{ text: json(0.9) }], { per_session: 1, interval: 1 });
    await log.deliver(records(0, turns(3)));
    await waitFor(async () => (await result('none')) === 1);
    await log.deliver(records(3, turns(20)));
    await waitFor(async () => (await result('skipped')) === 1);
    expect(server.requests).toHaveLength(1);
  });

  it('semantic checks: an answer not committed when its partition was revoked is asked for again', async () => {
    const { log, server } = await start([{ text: json(1) }]);
    await log.deliver(records(0, turns(2)));
    await log.deliver(records(2, turns(1)));
    log.gate = Promise.reject(new Error('away'));
    log.gate.catch(() => undefined);
    await waitFor(() => log.attempts === 3);
    await expect(log.settled()).rejects.toThrow('away');
    log.gate = Promise.resolve();
    await log.takeOver();
    await waitFor(() => log.verdicts.length === 1);
    expect(log.verdicts).toMatchObject([{ phase: 'opened', eventIndex: 2 }]);
    expect([server.requests.length, log.checks.length]).toEqual([2, 1]);
  });

  it('semantic checks: a check running when its partition was revoked is asked again', async () => {
    const { log, server } = await start(['never', { text: json(1) }]);
    await log.deliver(records(0, turns(4)));
    await waitFor(() => server.requests.length === 1);
    log.crash();
    await log.takeOver();
    await waitFor(() => log.verdicts.length === 1);
    expect(log.verdicts).toMatchObject([{ phase: 'opened', eventIndex: 2 }]);
  });

  it('semantic checks: an answer committed before its partition was revoked is not asked for again', async () => {
    const { log, server, registry } = await start([{ text: json(1) }], { interval: 10 });
    await log.deliver(records(0, turns(3)));
    await waitFor(() => log.verdicts.length === 1);
    log.crash();
    await log.takeOver();
    expect(await metric(registry, 'loopwatch_incidents_open{detector="semantic"}')).toBe(1);
    // The answer was quite sure: the next check is due five turns after the one that asked.
    await log.deliver(records(3, turns(4)));
    expect(server.requests).toHaveLength(1);
    await log.deliver(records(7, turns(1)));
    await waitFor(() => log.checks.length === 2);
    expect(log.checks.map(({ turn }) => turn)).toEqual([3, 8]);
    expect(new Set(log.verdicts.map(({ id }) => id)).size).toBe(log.verdicts.length);
  });

  it('semantic checks: a stopping worker does not wait for the model', async () => {
    const { worker, log, server } = await start(['never']);
    await log.deliver(records(0, turns(3)));
    await waitFor(() => server.requests.length === 1);
    await worker.stop();
    expect(log.stopped).toBe(true);
    expect(log.checks).toEqual([]);
  });
});

describe('model settings', () => {
  it.each([
    ['nothing', {}, false],
    ['only an address', { base_url: 'http://localhost/v1' }, false],
    ['only a name', { model: 'm' }, false],
    ['a name and an address', { model: 'm', base_url: 'http://localhost/v1' }, true],
    ['a name and a key', { model: 'm', api_key: 'k' }, true],
  ])('model settings with %s configure a model: %j', (_, llm, isOne) =>
    expect(modelClient(settingsSchema.parse({ llm }).llm) !== undefined).toBe(isOne),
  );
});
