import { beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';
import { decisionOf, hookedServer } from './hooked-server.ts';

const hooks = hookedServer();
const { send, stored } = hooks;

describe('a stopped session', () => {
  beforeEach(async () => {
    hooks.log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    await stored();
  });

  it('has every call denied by its hook until it is resumed', async () => {
    const hooked = hooks.agent('claude-code', 's-1');
    await hooked.call('Read', { file_path: 'a' }, 'text');
    expect(await send('/sessions/s-1/stop', undefined)).toEqual({
      status: 200,
      body: { stopped: true, obeyedBy: 'hooks' },
    });
    expect(await send('/sessions/s-1', undefined, 'GET')).toMatchObject({ body: { stopped: true } });
    await hooked.prompt('Go on, please');
    expect(await hooked.call('Read', { file_path: 'b' }, 'text')).toEqual({
      before: {
        continue: false,
        stopReason: expect.stringContaining('The session was stopped by'),
        hookSpecificOutput: expect.objectContaining({ permissionDecision: 'deny' }),
      },
    });
    expect(await send('/sessions/s-1/stop', undefined, 'DELETE')).toEqual({
      status: 200,
      body: { stopped: false, obeyedBy: 'hooks' },
    });
    expect(await send('/sessions/s-1', undefined, 'GET')).not.toHaveProperty('body.stopped');
    expect(await hooked.call('Read', { file_path: 'b' }, 'text')).toEqual({ before: {}, after: {} });
  });

  it('takes its sub-agents along, whether they are stored, known to hooks or new', async () => {
    const sub = (id: string) => hooks.agent('claude-code', 's-1', { agent_id: id, agent_type: 'explore' });
    const calls = async (...agents: ReturnType<typeof sub>[]) => {
      const answers = [];
      for (const agent of agents)
        answers.push(decisionOf(await agent.call('Read', { file_path: 'a' }, 'text')));
      return answers;
    };
    const decide = async (sessionId: string, parentSession?: string) => {
      const { body } = await send('/decide', { sessionId, name: 'Read', parentSession });
      return (body as { action: string }).action;
    };
    for (const [id, parent] of Object.entries({ 'x-1': 's-1', 'x-2': 'x-1', 'x-3': 's-1', 'x-4': 'x-3' }))
      hooks.log.append(topics.sessions, JSON.stringify(summary(id, { parentSessionId: parent })), {
        key: id,
      });
    await stored();
    const [known, fresh] = [sub('a-1'), sub('a-2')];
    expect(await calls(known)).toEqual(['run']);

    await send('/sessions/s-1/stop', undefined);
    const settings = { set: { stopped: false }, version: 0 };
    expect(await send('/settings/session:x-3', settings, 'PUT')).toMatchObject({ status: 200 });
    expect(await calls(known, fresh)).toEqual(['deny', 'deny']);
    const stopped = ['x-1', 'x-2', 's-1/a-9'];
    for (const id of stopped) expect([id, await decide(id)]).toEqual([id, 'stop']);
    expect(await decide('y-1', 'x-2')).toBe('stop');
    // It has a setting of its own.
    for (const id of ['x-3', 'x-4', 's-10', 'y-1']) expect([id, await decide(id)]).toEqual([id, 'allow']);
    expect(await send('/sessions/x-2', undefined, 'GET')).toMatchObject({ body: { stopped: true } });
    expect(await send('/sessions/x-4', undefined, 'GET')).not.toHaveProperty('body.stopped');
    expect(await send('/sessions/x-2/stop', undefined, 'DELETE')).toMatchObject({ body: { stopped: true } });

    await send('/sessions/s-1/stop', undefined, 'DELETE');
    expect(await calls(known, fresh)).toEqual(['run', 'run']);
    for (const id of stopped) expect([id, await decide(id)]).toEqual([id, 'allow']);
    expect(await send('/sessions/x-2', undefined, 'GET')).not.toHaveProperty('body.stopped');
  });

  it('reports when nothing enforces the stop', async () => {
    expect(await send('/sessions/s-1/stop', undefined)).toMatchObject({
      body: { stopped: true, obeyedBy: null },
    });
  });

  it('is marked in lists of incidents and on their pages', async () => {
    hooks.log.appendVerdict(verdict({ incidentId: 'i-8', sessionId: 's-1', time: START }));
    hooks.log.appendVerdict(verdict({ id: 'v-9', incidentId: 'i-9', sessionId: 's-2', time: START }));
    await stored();
    await send('/sessions/s-1/stop', undefined);
    const { body } = (await send('/incidents?sort=detectedAt', undefined, 'GET')) as {
      body: { items: { id: string; sessionStopped?: true }[] };
    };
    expect(Object.fromEntries(body.items.map(({ id, sessionStopped }) => [id, sessionStopped]))).toEqual({
      'i-8': true,
      'i-9': undefined,
    });
    expect(await send('/incidents/i-8', undefined, 'GET')).toMatchObject({ body: { sessionStopped: true } });
    expect(await send('/incidents/i-9', undefined, 'GET')).not.toHaveProperty('body.sessionStopped');
  });

  it('must be a known session', async () => {
    expect(await send('/sessions/s-404/stop', undefined)).toMatchObject({ status: 404 });
  });
});
