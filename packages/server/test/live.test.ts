import {
  type LiveEvents,
  liveHeartbeatSchema,
  liveIncidentsSchema,
  liveSnapshotSchema,
} from '@loopwatch/contract';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeFeed } from '../src/change-feed.ts';
import type { LoopwatchServer } from '../src/index.ts';
import type { MemoryLog } from './memory-log.ts';
import { info, startServer } from './running-server.ts';
import { START, verdict } from './verdicts.ts';

type LiveSocket = Socket<LiveEvents>;
type Message<Name extends keyof LiveEvents> = Parameters<LiveEvents[Name]>[0];

describe('the namespace /live', () => {
  let url: string;
  let log: MemoryLog;
  let server: LoopwatchServer;
  const sockets: LiveSocket[] = [];

  beforeEach(async () => {
    ({ url, log, server } = await startServer());
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.disconnect();
    await server.stop();
  });

  function connect(extraHeaders: Record<string, string> = {}): LiveSocket {
    const socket: LiveSocket = io(`${url}/live`, {
      extraHeaders,
      reconnection: false,
      transports: ['websocket'],
    });
    sockets.push(socket);
    return socket;
  }

  function next<Name extends keyof LiveEvents>(socket: LiveSocket, name: Name): Promise<Message<Name>> {
    return new Promise((resolve) => {
      const events = socket as { once(event: string, listener: (message: Message<Name>) => void): void };
      events.once(name, resolve);
    });
  }

  it('greets with the incidents there are', async () => {
    log.appendVerdict(verdict());
    const socket = connect();
    const [snapshot, heartbeat] = await Promise.all([next(socket, 'snapshot'), next(socket, 'heartbeat')]);
    expect(liveSnapshotSchema.parse(snapshot)).toMatchObject({ incidents: [{ id: 'i-1' }], info });
    expect(snapshot.incidents[0]).not.toHaveProperty('evidence');
    expect(liveHeartbeatSchema.parse(heartbeat)).toMatchObject({ lag: 0, lastVerdictAt: START + 12 });
  });

  it('tells what changed, each incident once however many verdicts came', async () => {
    log.appendVerdict(verdict({ incidentId: 'old' }));
    const socket = connect();
    await next(socket, 'snapshot');
    const update = next(socket, 'incidents');
    log.appendVerdict(verdict());
    log.appendVerdict(verdict({ phase: 'escalated', count: 10 }));
    const { incidents, stats } = liveIncidentsSchema.parse(await update);
    expect(incidents.map(({ id, count }) => [id, count])).toEqual([['i-1', 10]]);
    expect(stats.found).toBe(2);
  });

  it('sends a new snapshot when very many changed at once', async () => {
    const socket = connect();
    await next(socket, 'snapshot');
    const again = next(socket, 'snapshot');
    for (let n = 0; n < 300; n += 1)
      log.appendVerdict(verdict({ incidentId: `i-${String(n)}`, time: START + n }));
    const { incidents } = await again;
    expect(incidents).toHaveLength(200);
    expect(incidents[0]?.id).toBe('i-299');
  });

  it('refuses pages of other origins', async () => {
    const refused = new Promise((resolve) =>
      connect({ origin: 'https://evil.example' }).on('connect_error', resolve),
    );
    await expect(refused).resolves.toBeInstanceOf(Error);
    await next(connect({ origin: url }), 'snapshot');
  });
});

describe('the change feed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('flushes at most once per interval', () => {
    const flushed: (readonly string[])[] = [];
    const feed = new ChangeFeed(100, (ids) => void flushed.push(ids));
    for (let ms = 0; ms < 250; ms += 10) {
      feed.add(ms % 20 === 0 ? 'even' : 'odd');
      vi.advanceTimersByTime(10);
    }
    expect(flushed).toEqual([
      ['even', 'odd'],
      ['even', 'odd'],
    ]);
    feed.stop();
    vi.advanceTimersByTime(1_000);
    expect(flushed).toHaveLength(2);
  });
});
