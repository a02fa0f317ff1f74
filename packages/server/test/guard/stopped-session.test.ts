import { beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';
import { hookedServer } from './hooked-server.ts';

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
