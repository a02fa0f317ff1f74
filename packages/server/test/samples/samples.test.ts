import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { SamplePlayback } from '../../src/index.ts';
import { startServer, topics } from '../running-server.ts';
import { summary, verdict } from '../verdicts.ts';

const database = sharedPglite();

/** Plays one session, named by the test. */
function fakePlayback(id: string): SamplePlayback & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    play: async (onSession) => {
      calls.push('play');
      await onSession(id);
    },
    pause: () => {
      calls.push('pause');
      return Promise.resolve();
    },
  };
}

it('samples: are marked in lists, stay stopped across a restart, and are deleted completely', async () => {
  const playback = fakePlayback('played');
  const one = await database();
  const openDatabase = () => Promise.resolve(one);
  const first = await startServer({ openDatabase, samples: playback });
  const api = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${first.url}/api/v1${path}`, {
      ...init,
      headers: { 'content-type': 'application/json' },
    });
    return (await response.json()) as Record<string, unknown> & { items: Record<string, unknown>[] };
  };
  for (const id of ['played', 'own']) {
    first.log.append(topics.sessions, JSON.stringify(summary(id)), { key: id });
    first.log.appendVerdict(verdict({ incidentId: `of-${id}`, sessionId: id }));
  }
  await first.stored();
  const flags = async (path: string) =>
    Object.fromEntries((await api(path)).items.map(({ sessionId, sample }) => [sessionId, sample]));
  expect(await flags('/sessions')).toEqual({ played: true, own: undefined });
  expect(await flags('/incidents')).toEqual({ played: true, own: undefined });
  expect(await api('/samples')).toEqual({ available: true, playing: true, sessions: 1 });

  const stopped = await api('/samples', { method: 'PUT', body: '{"playing":false}' });
  expect(stopped).toEqual({ available: true, playing: false, sessions: 1 });
  expect(await api('/samples', { method: 'DELETE' })).toEqual({
    available: true,
    playing: false,
    sessions: 0,
  });
  expect(await flags('/sessions')).toEqual({ own: undefined });
  expect(await flags('/incidents')).toEqual({ own: undefined });
  expect((await api('/overview?lastMs=86400000000'))['quiet']).toBe(1);
  expect(playback.calls).toEqual(['play', 'pause']);
  await first.server.stop();

  const later = fakePlayback('later');
  const second = await startServer({ openDatabase, samples: later });
  expect(later.calls).toEqual([]);
  await second.server.stop();
});

it('samples: a server without them reports that, and rejects playing them', async () => {
  const { url, server } = await startServer({ openDatabase: database });
  expect(await (await fetch(`${url}/api/v1/samples`)).json()).toEqual({
    available: false,
    playing: false,
    sessions: 0,
  });
  const refused = await fetch(`${url}/api/v1/samples`, {
    method: 'PUT',
    body: '{"playing":true}',
    headers: { 'content-type': 'application/json' },
  });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain('run `loopwatch start` without --no-samples');
  await server.stop();
});
