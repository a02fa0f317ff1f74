import { detectionSchema } from '@loopwatch/contract';
import { type ScopeSettings, settingsOverviewSchema, statusSchema } from '@loopwatch/contract/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { settingKeys } from '../../src/settings/setting-keys.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;

beforeEach(async () => {
  const configured = {
    settings: detectionSchema.parse({
      tool_call_loop: { max_repeats: 7 },
      overrides: { models: { 'openai/gpt-5-mini': { tool_cycle: { min_repeats: 9 } } } },
    }),
    origins: {
      'tool_call_loop.max_repeats': { source: 'environment', name: 'TOOL_LOOP_MAX_REPEATS' },
      'overrides.models.openai/gpt-5-mini.tool_cycle.min_repeats': { source: 'file', name: 'c.yaml' },
      'stagnation.same_error': { source: 'preset', name: 'balanced' },
    },
    hasModel: false,
  } as const;
  ({ url, log, server, stored } = await startServer({
    openDatabase: emptyDatabase,
    configured,
    now: () => START,
  }));
});

afterEach(() => server.stop());

// oxlint-disable-next-line typescript/no-explicit-any
async function call(method: string, scope: string, body?: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(`${url}/api/v1/settings/${encodeURIComponent(scope)}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const effective = ({ effective: all }: ScopeSettings, path: string) => all.find((one) => one.path === path);

describe('settings of a guarded session', () => {
  beforeEach(async () => {
    log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    await stored();
  });

  /** What a hook would be told; the clock of the server stands still. */
  const decided = async () => {
    const body = JSON.stringify({ sessionId: 's-1', name: 'read_file', args: {} });
    const response = await fetch(`${url}/api/v1/decide`, { method: 'POST', body });
    return ((await response.json()) as { action: string }).action;
  };

  it.each(['session:s-1', 'server'])('apply from the next call on (%s)', async (scope) => {
    expect(await decided()).toBe('allow');
    await call('PUT', scope, { set: { stopped: true } });
    expect(await decided()).toBe('stop');
    await call('DELETE', scope);
    expect(await decided()).toBe('allow');
  });

  it('apply once they are read from the log, if another program has changed them', async () => {
    expect(await decided()).toBe('allow');
    const control = { v: 1, scope: 'session:s-1', set: { stopped: true }, unset: [] };
    log.append(topics.control, JSON.stringify(control), { key: 'session:s-1' });
    await stored();
    expect(await decided()).toBe('stop');
  });
});

describe('settings of a scope', () => {
  it('override the configured ones, and name their tier', async () => {
    await call('PUT', 'server', { set: { 'tool_cycle.min_repeats': 5, 'content_loop.window': 64 } });
    const model = await call('PUT', 'model:openai/gpt-5-mini', { set: { 'stagnation.same_error': 6 } });
    expect(model.status).toBe(200);
    const expected: [string, unknown, string, string | null][] = [
      ['tool_call_loop.max_repeats', 7, 'environment', 'TOOL_LOOP_MAX_REPEATS'],
      ['tool_cycle.min_repeats', 9, 'file', 'c.yaml'],
      ['content_loop.window', 64, 'server', 'server'],
      ['stagnation.same_error', 6, 'model', 'model:openai/gpt-5-mini'],
      ['enabled', true, 'default', null],
    ];
    for (const [path, value, tier, name] of expected) {
      expect(effective(model.body as ScopeSettings, path)).toEqual({ path, value, origin: { tier, name } });
    }
    const other = (await call('GET', 'server')).body as ScopeSettings;
    expect(effective(other, 'tool_cycle.min_repeats')?.value).toBe(5);
    expect(effective(other, 'stagnation.same_error')).toMatchObject({
      origin: { tier: 'preset', name: 'balanced' },
    });
  });

  it('are published to the control topic, and read back from it', async () => {
    await call('PUT', 'server', { set: { enabled: false } });
    expect(log.values(topics.control)).toEqual([
      { v: 1, scope: 'server', set: { enabled: false }, unset: [] },
    ]);
    log.append(topics.control, '{"scope":"server","set":{"enabled":true}}', { key: 'server', timestamp: 5 });
    await stored();
    expect((await call('GET', 'server')).body).toMatchObject({
      set: { enabled: true },
      version: 2,
      updatedAt: 5,
      updatedBy: 'the control topic',
    });
    const gone = await call('DELETE', 'server');
    expect(gone.body).toMatchObject({ set: {}, version: 3 });
    expect(log.topics.get(topics.control)?.at(-1)?.value).toBeNull();
    const overview = settingsOverviewSchema.parse(await (await fetch(`${url}/api/v1/settings`)).json());
    expect(overview.scopes).toEqual([]);
  });

  it('of a session are sent into its event stream: the off switch', async () => {
    log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    await stored();
    await call('PUT', 'session:s-1', { set: { enabled: false, 'tool_cycle.min_repeats': 4 } });
    await call('PUT', 'session:s-1', { set: { enabled: false } });
    await call('DELETE', 'session:s-1');
    expect(log.values(topics.events)).toMatchObject([
      { type: 'control', sessionId: 's-1', set: { enabled: false, 'tool_cycle.min_repeats': 4 }, unset: [] },
      { set: { enabled: false }, unset: ['tool_cycle.min_repeats'] },
      { set: {}, unset: ['enabled'] },
    ]);
    expect(String(log.topics.get(topics.events)?.[0]?.key)).toBe('s-1');
    expect((await call('PUT', 'session:nobody', { set: {} })).status).toBe(404);
  });

  it('are changed only on the current version', async () => {
    await call('PUT', 'server', { set: { enabled: false }, version: 0 });
    const late = await call('PUT', 'server', { set: { enabled: true }, version: 0 });
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({ current: { version: 1, set: { enabled: false } } });
    expect((await call('PUT', 'server', { set: {}, version: 1 })).status).toBe(200);
  });

  it('of the semantic layer have no effect without a model; the status has the reason', async () => {
    const { body } = await call('GET', 'server');
    const note = 'no model: set llm.model with llm.base_url or llm.api_key';
    expect(effective(body as ScopeSettings, 'semantic.enabled')).toMatchObject({ value: true, note });
    const status = statusSchema.parse(await (await fetch(`${url}/api/v1/status`)).json());
    expect(status.detectors.filter(({ id }) => id === 'semantic' || id === 'tool-repeat')).toEqual([
      { id: 'tool-repeat', on: true, reason: null },
      { id: 'semantic', on: false, reason: note },
    ]);
    await call('PUT', 'server', { set: { 'semantic.enabled': false } });
    const off = statusSchema.parse(await (await fetch(`${url}/api/v1/status`)).json());
    expect(off.detectors).toContainEqual({ id: 'semantic', on: false, reason: null });
  });

  it('from the topic that are invalid are shown as such, and the others apply', async () => {
    const set = { 'privacy.mask': ['(a+)+$'], 'tool_cycle.min_repeats': 'x', 'content_loop.window': 64 };
    log.append(topics.control, JSON.stringify({ scope: 'server', set }), { key: 'server' });
    await stored();
    const { body } = await call('GET', 'server');
    expect(body).toMatchObject({
      set,
      invalid: [
        { path: 'privacy.mask', detail: expect.stringContaining('LOOPWATCH_PRIVACY_MASK') as unknown },
        {
          path: 'tool_cycle.min_repeats',
          detail: expect.stringContaining('allowed: a whole number') as unknown,
        },
      ],
    });
    expect(effective(body as ScopeSettings, 'content_loop.window')).toMatchObject({ value: 64 });
    // Pages hide texts by it, though no scope sets it.
    expect(effective(body as ScopeSettings, 'privacy.store_text')).toMatchObject({ value: true });
    expect(effective(body as ScopeSettings, 'tool_cycle.min_repeats')).toMatchObject({
      value: 3,
      origin: { tier: 'default' },
    });
    expect((await call('PUT', 'server', { set: { 'content_loop.window': 64 } })).body.invalid).toEqual([]);
  });

  it.each([
    ['server', 'tool_call_loop.mode', 'CHANCE', 'chance'],
    ['server', 'on_budget', 'Ask', 'ask'],
    ['model:a/b', 'tool_cycle.mode', 'Block', 'block'],
    ['server', 'tool_call_loop.error_messages.block', 'STOP', 'STOP'],
  ])('of %s: %s ignores the case of a word: %s', async (scope, path, given, stored) => {
    const answer = await call('PUT', scope, { set: { [path]: given } });
    expect(answer).toMatchObject({ status: 200, body: { set: { [path]: stored } } });
  });

  it('do not change while the log is unavailable', async () => {
    log.failure = new Error('no brokers');
    expect((await call('PUT', 'server', { set: { enabled: false } })).status).toBe(503);
    expect((await call('GET', 'server')).body).toMatchObject({ set: {}, version: 0 });
  });

  it.each([
    ['server', { set: { 'tool_call_loop.max_repeat': 5 } }, 'tool_call_loop.max_repeat', /did you mean/],
    [
      'server',
      { set: { 'tool_call_loop.max_repeats': 'x' } },
      'tool_call_loop.max_repeats',
      /allowed: a whole number from 2/,
    ],
    ['server', { set: { 'session.max_sessions': 5 } }, 'session.max_sessions', /belongs to the process/],
    ['server', { set: { 'privacy.mask': ['(a+)+$'] } }, 'privacy.mask', /LOOPWATCH_PRIVACY_MASK/],
    [
      'model:a/b',
      { set: { 'privacy.store_text': true } },
      'privacy.store_text',
      /LOOPWATCH_PRIVACY_STORE_TEXT/,
    ],
    ['session:s-1', { set: { 'privacy.mask': [] } }, 'privacy.mask', /LOOPWATCH_PRIVACY_MASK/],
    ['server', { sett: {} }, '', /sett/],
    ['server', 'x', '', /object/],
    ['everybody', { set: {} }, undefined, /model:<backend>/],
  ])('%s %j is rejected', async (scope, body, path, detail) => {
    const answer = await call('PUT', scope, body);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(detail);
    if (path !== undefined && path !== '') expect(answer.body.errors[0]).toMatchObject({ path });
    expect(log.topics.get(topics.control)).toBeUndefined();
  });
});

describe('setting keys', () => {
  it('list allowed values and scopes', () => {
    const key = (path: string) => settingKeys().find((one) => one.path === path);
    expect(key('content_loop.window')).toMatchObject({
      type: 'integer',
      min: 8,
      max: 256,
      nullable: false,
      scopes: ['server', 'model', 'session'],
      allowed: 'a whole number from 8 to 256',
    });
    expect(key('tool_call_loop.mode')).toMatchObject({ type: 'choice' });
    expect(key('tool_call_loop.ttl_seconds')).toMatchObject({ type: 'number', nullable: true });
    expect(key('session.idle_seconds')).toBeUndefined();
    expect(key('session.max_sessions')).toBeUndefined();
    expect(settingKeys().every(({ description }) => description !== '')).toBe(true);
  });
});
