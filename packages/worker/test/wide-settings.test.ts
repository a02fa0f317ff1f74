import {
  type DetectionInput,
  type DetectionSettings,
  detectionSchema,
  settingsSchema,
} from '@loopwatch/contract';
import type { LogRecord, TopicHandler, TopicReader } from '@loopwatch/log';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Worker } from '../src/index.ts';
import { calls, type LogLine, records, topics } from './fakes.ts';
import { MemoryRunner } from './memory-runner.ts';

/** The `control` topic: what is there at the start, and what is written later. */
class ControlTopic implements TopicReader {
  readonly #records: LogRecord[] = [];
  #handler: TopicHandler | undefined;
  stopped = false;

  async run(handler: TopicHandler): Promise<void> {
    this.#handler = handler;
    if (this.#records.length > 0) await this.#hand(handler, this.#records);
  }

  stop(): Promise<void> {
    this.stopped = true;
    return Promise.resolve();
  }

  write(scope: string, value: object | string | null): void {
    const more = { key: Buffer.from(scope), ...(value === null && { value: null }) };
    const written = records(this.#records.length, [value ?? ''], more);
    this.#records.push(...written);
    if (this.#handler !== undefined) void this.#hand(this.#handler, written);
  }

  async #hand(handler: TopicHandler, records: readonly LogRecord[]): Promise<void> {
    const next = (records.at(-1)?.offset ?? -1) + 1;
    await handler({ topic: topics.control, partition: 0, records, next, lag: 0 });
  }

  set(scope: string, set: Record<string, unknown>): void {
    this.write(scope, { v: 1, scope, set });
  }
}

function startOn(log: MemoryRunner, control: ControlTopic, detection: DetectionInput = {}) {
  return startWith(log, control, detectionSchema.parse({ preset: 'stream', ...detection }));
}

async function startWith(log: MemoryRunner, control: ControlTopic, detection: DetectionSettings) {
  const lines: LogLine[] = [];
  const logger = pino(
    { formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => lines.push(JSON.parse(line) as LogLine) },
  );
  const worker = new Worker({
    system: 'kafka',
    runner: log,
    control,
    topics,
    logger,
    registry: new Registry(),
    detection,
  });
  await worker.start();
  return { worker, lines };
}
const threshold = (count: number) => ({ 'tool_call_loop.max_repeats': count });
const told = (log: MemoryRunner) =>
  log.verdicts.map(({ phase, count, sessionId, source }) => [phase, count, sessionId, source?.offset]);

describe('settings from the control topic', () => {
  it('control topic settings: present at the start, they apply from the first record on', async () => {
    const [log, control] = [new MemoryRunner(topics.events), new ControlTopic()];
    control.set('server', threshold(2));
    const { worker } = await startOn(log, control);
    await log.deliver(records(0, calls(2)));
    expect(told(log)).toEqual([['opened', 2, 's-1', '1']]);
    await worker.stop();
    expect(control.stopped).toBe(true);
  });

  it('control topic settings: apply from the next batch on to current and new sessions, until removed', async () => {
    const [log, control] = [new MemoryRunner(topics.events), new ControlTopic()];
    const { lines } = await startOn(log, control);
    await log.deliver(records(0, calls(3)));
    control.set('server', threshold(4));
    await log.deliver(records(3, calls(1)));
    control.set('model:openai/m', threshold(2));
    const ofModel = calls(2, { sessionId: 'm', backend: 'openai', model: 'm' });
    await log.deliver(records(4, [...ofModel, ...calls(2, { sessionId: 'n' })]));
    control.write('model:openai/m', null);
    await log.deliver(records(8, calls(3, { sessionId: 'o', backend: 'openai', model: 'm' })));
    expect(told(log)).toEqual([
      ['opened', 4, 's-1', '3'],
      ['opened', 2, 'm', '5'],
    ]);
    expect(lines.map(({ msg }) => msg)).toContain('Settings of server now override the configuration');
  });

  it('control topic settings: a replay applies them at the same offsets', async () => {
    const [log, control] = [new MemoryRunner(topics.events), new ControlTopic()];
    await startOn(log, control);
    await log.deliver(records(0, calls(3)));
    control.set('server', threshold(4));
    await log.deliver(records(3, calls(2)));
    control.set('server', threshold(100));
    await log.deliver(records(5, [...calls(2), ...calls(1, { name: 'other' })]));
    const before = told(log);
    log.crash();
    await log.takeOver();
    await log.deliver(records(8, calls(101)));
    expect(told(log).slice(0, before.length)).toEqual(before);
    expect(told(log).slice(before.length)).toEqual([['opened', 100, 's-1', '107']]);
  });

  it.each<[string, object | string, RegExp]>([
    [
      'another scope than its key',
      { v: 1, scope: 'model:a/b', set: threshold(2) },
      /its scope is model:a\/b/,
    ],
    ['a value that is not JSON', 'set it to 2', /JSON/],
    ['another object', { v: 1 }, /scope/],
  ])(
    'control topic settings: rejected with a reason for %s, the previous ones stay',
    async (_, value, why) => {
      const [log, control] = [new MemoryRunner(topics.events), new ControlTopic()];
      control.set('server', threshold(3));
      const { lines } = await startOn(log, control);
      control.write('server', value);
      await log.deliver(records(0, calls(3)));
      expect(told(log)).toEqual([['opened', 3, 's-1', '2']]);
      const refusals = lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
      expect(refusals[0]).toMatch(/^Settings of server were rejected; keeping the previous settings: /);
      expect(refusals[0]).toMatch(why);
    },
  );

  it.each<[string, string, unknown, RegExp]>([
    ['an unknown key', 'tool_call_loop.max_repeat', 2, /did you mean tool_call_loop.max_repeats/],
    ['a wrong value', 'tool_call_loop.ttl_seconds', 0, /ttl_seconds is 0; allowed: a number above 0/],
    ['a key of the process', 'privacy.mask', ['(a+)+$'], /LOOPWATCH_PRIVACY_MASK/],
    ['a whole block', 'privacy', { mask: ['('] }, /privacy belongs to the process/],
  ])('control topic settings: apply except for %s, which is logged once', async (_, path, value, why) => {
    const [log, control] = [new MemoryRunner(topics.events), new ControlTopic()];
    control.set('server', { ...threshold(3), [path]: value });
    const { lines } = await startOn(log, control);
    await log.deliver(records(0, calls(3)));
    expect(told(log)).toEqual([['opened', 3, 's-1', '2']]);
    const warnings = lines.map(({ msg }) => msg).filter((msg) => msg.includes('left out'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^Of the settings of server, \S+ cannot be taken and is left out: /);
    expect(warnings[0]).toMatch(why);
    expect(warnings[0]).toMatch(/To remove them, save the scope .* PUT \/api\/v1\/settings\/server/);
  });
});

describe('a configuration changed by a restart', () => {
  it.each([1, 50_000])(
    'a configuration changed by a restart: applies to new records, not to replayed ones (replay of %i records)',
    async () => {
      const [log, control] = [new MemoryRunner(topics.events), new ControlTopic()];
      const first = await startOn(log, control, { tool_call_loop: { max_repeats: 3 } });
      await log.deliver(records(0, [...calls(3), ...calls(2, { sessionId: 't' })]));
      await first.worker.stop();
      const second = await startOn(log, control, { tool_call_loop: { max_repeats: 2 } });
      await log.deliver(records(5, [...calls(1, { sessionId: 't' }), ...calls(2, { sessionId: 'u' })]));
      expect(told(log)).toEqual([
        ['opened', 3, 's-1', '2'],
        ['opened', 3, 't', '5'],
        ['opened', 2, 'u', '7'],
      ]);
      expect(
        second.lines.filter(({ level, msg }) => level === 'warn' && /Ignored session snapshots/.test(msg)),
      ).toEqual([]);
      await second.worker.stop();
    },
  );
});

it('a worker: stores only detection settings, even if given all settings of a process', async () => {
  const [log, control] = [new MemoryRunner(topics.events), new ControlTopic()];
  const sasl = { mechanism: 'PLAIN', username: 'u', password: 'of-the-brokers' };
  const settings = settingsSchema.parse({
    preset: 'stream',
    tool_call_loop: { max_repeats: 4 },
    kafka: { security_protocol: 'SASL_SSL', sasl },
    llm: { model: 'm', api_key: 'of-the-model' },
  });
  await startWith(log, control, settings);
  await log.deliver(records(0, calls(2)));
  expect([...log.kept().values()].join()).not.toMatch(/of-the-/);
  log.crash();
  await log.deliver(records(2, calls(2)));
  expect(told(log)).toEqual([['opened', 4, 's-1', '3']]);
  control.set('server', threshold(2));
  await log.deliver(records(4, calls(2, { sessionId: 'other' })));
  expect(told(log).at(-1)).toEqual(['opened', 2, 'other', '5']);
});
