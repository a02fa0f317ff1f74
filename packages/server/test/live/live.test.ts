import {
  changesMessageSchema,
  heartbeatMessageSchema,
  type LiveMessages,
  snapshotMessageSchema,
} from '@loopwatch/contract/api';
import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { Throttle } from '../../src/lib/throttle.ts';
import { removeIncidents } from '../../src/retention/remove-oldest.ts';
import type { MemoryLog } from '../memory-log.ts';
import { info, startServer } from '../running-server.ts';
import { START, verdict } from '../verdicts.ts';

type LiveSocket = Socket<LiveMessages>;
type Message<Name extends keyof LiveMessages> = Parameters<LiveMessages[Name]>[0];

const emptyDatabase = sharedPglite();

describe('the namespace /live', () => {
  let url: string;
  let log: MemoryLog;
  let server: LoopwatchServer;
  let stored: () => Promise<void>;
  const sockets: LiveSocket[] = [];

  beforeEach(async () => {
    ({ url, log, server, stored } = await startServer({ openDatabase: emptyDatabase }));
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.disconnect();
    await server.stop();
  });

  function connect(auth: { since?: unknown } = {}, extraHeaders: Record<string, string> = {}): LiveSocket {
    const socket: LiveSocket = io(`${url}/live`, {
      auth,
      extraHeaders,
      reconnection: false,
      forceNew: true,
      transports: ['websocket'],
    });
    sockets.push(socket);
    return socket;
  }

  function next<Name extends keyof LiveMessages>(socket: LiveSocket, name: Name): Promise<Message<Name>> {
    return new Promise((resolve) => {
      const events = socket as { once(event: string, listener: (message: Message<Name>) => void): void };
      events.once(name, resolve);
    });
  }

  it('sends a snapshot on connect', async () => {
    log.appendVerdict(verdict());
    await stored();
    const socket = connect();
    const [snapshot, heartbeat] = await Promise.all([next(socket, 'snapshot'), next(socket, 'heartbeat')]);
    expect(snapshotMessageSchema.parse(snapshot)).toMatchObject({ incidents: [{ id: 'i-1' }], info });
    expect(snapshot.incidents[0]).not.toHaveProperty('evidence');
    expect(heartbeatMessageSchema.parse(heartbeat)).toMatchObject({
      lag: 0,
      readTo: null,
      lastVerdictAt: START + 12,
      log: 'up',
    });
  });

  it('broadcasts each changed incident once, however many verdicts arrived', async () => {
    log.appendVerdict(verdict({ incidentId: 'old' }));
    await stored();
    const socket = connect();
    const { sequence } = await next(socket, 'snapshot');
    const update = next(socket, 'changes');
    log.appendVerdict(verdict());
    log.appendVerdict(verdict({ phase: 'escalated', count: 10 }));
    const changes = changesMessageSchema.parse(await update);
    expect(changes.incidents.map(({ id }) => id)).toEqual(['i-1']);
    expect(changes.sequence).toBeGreaterThan(sequence);
    await expect
      .poll(
        async () => ((await (await fetch(`${url}/api/v1/incidents/i-1`)).json()) as { count: number }).count,
      )
      .toBe(10);
  });

  it('keeps no more than a bounded number of bytes for a client that does not read, then sends it a snapshot', async () => {
    const address = `${url}/socket.io/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(address)).text()).slice(1)) as { sid: string };
    const poll = async () => (await fetch(`${address}&sid=${sid}`)).text();
    await fetch(`${address}&sid=${sid}`, { method: 'POST', body: '40/live,' });
    while (!(await poll()).includes('heartbeat'));
    const reader = connect();
    await next(reader, 'snapshot');
    for (let round = 1; round <= 10; round += 1) {
      const update = next(reader, 'changes');
      for (let session = 0; session < 100; session += 1)
        log.appendVerdict(
          verdict({ incidentId: `i-${String(session)}`, count: round, reason: 'x'.repeat(1_000) }),
        );
      await update;
      await stored();
    }
    expect((await poll()).length).toBeLessThan(700_000);
    const rest = await poll();
    expect(rest).toMatch(/^42\/live,\["snapshot"/);
    expect(rest).toContain('"count":10');
  });

  it('sends complete statistics in the end, however slow they are', async () => {
    await server.stop();
    // By the clock that durations are taken from, sums over everything take as long as those of millions.
    let spent = 0;
    const clock = performance.now.bind(performance);
    const timing = vi.spyOn(performance, 'now').mockImplementation(() => clock() + spent);
    onTestFinished(() => {
      timing.mockRestore();
    });
    const slow = async () => {
      const database = await emptyDatabase();
      return {
        ...database,
        query: async <Row extends object>(sql: string, parameters?: readonly unknown[]) => {
          if (sql.includes('as kept')) spent += 80;
          return database.query<Row>(sql, parameters);
        },
      };
    };
    ({ url, log, server } = await startServer({ openDatabase: slow }));
    const socket = connect();
    await next(socket, 'snapshot');
    for (const incidentId of ['one', 'two']) {
      const update = next(socket, 'changes');
      log.appendVerdict(verdict({ incidentId }));
      await update;
    }
    for (let found = 0; found !== 2; ) found = (await next(socket, 'changes')).stats?.found ?? found;
  });

  it('sends statistics although the wall clock was set back', async () => {
    await server.stop();
    let ahead = 0;
    const clocks = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
    ({ url, log, server } = await startServer({ openDatabase: emptyDatabase, ...clocks }));
    const socket = connect();
    await next(socket, 'snapshot');
    for (const incidentId of ['one', 'two']) {
      log.appendVerdict(verdict({ incidentId }));
      while (((await next(socket, 'changes')).stats?.found ?? 0) === 0);
      ahead -= 3_600_000;
    }
  });

  it('sends new statistics after retention has deleted incidents', async () => {
    const database = await emptyDatabase();
    await server.stop();
    ({ url, log, server, stored } = await startServer({ openDatabase: () => Promise.resolve(database) }));
    for (const incidentId of ['old', 'young']) log.appendVerdict(verdict({ incidentId }));
    await stored();
    const socket = connect();
    expect((await next(socket, 'snapshot')).stats).toMatchObject({ kept: 2, dropped: 0 });
    await removeIncidents(database, { limit: 1 });
    let stats: Message<'changes'>['stats'] = null;
    while (stats?.dropped !== 1) ({ stats } = await next(socket, 'changes'));
    expect(stats).toMatchObject({ kept: 1, found: 2 });
  });

  it('broadcasts triage to all clients', async () => {
    log.appendVerdict(verdict());
    await stored();
    const socket = connect();
    await next(socket, 'snapshot');
    const update = next(socket, 'changes');
    const body = JSON.stringify({ status: 'false_positive' });
    await fetch(`${url}/api/v1/incidents/i-1`, { method: 'PATCH', body });
    expect((await update).incidents).toMatchObject([{ id: 'i-1', triage: { status: 'false_positive' } }]);
  });

  it('misses no change when several clients connect at the same time', async () => {
    for (let n = 0; n < 300; n += 1) log.appendVerdict(verdict({ incidentId: `i-${String(n)}` }));
    await stored();
    const both = [connect(), connect()];
    await Promise.all(both.map((socket) => next(socket, 'snapshot')));
    const updates = both.map((socket) => next(socket, 'changes'));
    log.appendVerdict(verdict({ incidentId: 'new' }));
    for (const { incidents, dropped } of await Promise.all(updates)) {
      expect([incidents.map(({ id }) => id), dropped.incidents]).toEqual([['new'], 0]);
    }
  });

  it('counts dropped changes when too many happen at once', async () => {
    const socket = connect();
    await next(socket, 'snapshot');
    const update = next(socket, 'changes');
    for (let n = 0; n < 300; n += 1) {
      log.appendVerdict(verdict({ incidentId: `i-${String(n)}`, time: START + n }));
    }
    const { incidents, dropped } = await update;
    expect([incidents.length, dropped.incidents]).toEqual([200, 100]);
    expect(incidents[0]?.id).toBe('i-299');
  });

  it('sends a returning client what it missed, or a snapshot when that is too much', async () => {
    const first = connect();
    const { sequence } = await next(first, 'snapshot');
    first.disconnect();
    log.appendVerdict(verdict({ incidentId: 'missed' }));
    await stored();
    expect((await next(connect({ since: sequence }), 'changes')).incidents).toMatchObject([{ id: 'missed' }]);
    for (let n = 0; n < 201; n += 1) log.appendVerdict(verdict({ incidentId: `i-${String(n)}` }));
    await stored();
    expect((await next(connect({ since: sequence }), 'snapshot')).incidents).toHaveLength(200);
  });

  it.each([-1, 1e15, 'x', null, Number.NaN])(
    'sends a snapshot for the invalid sequence %s',
    async (since) => {
      expect((await next(connect({ since }), 'snapshot')).incidents).toEqual([]);
    },
  );

  it('rejects pages of other origins', async () => {
    const refused = new Promise((resolve) =>
      connect({}, { origin: 'https://evil.example' }).on('connect_error', resolve),
    );
    await expect(refused).resolves.toBeInstanceOf(Error);
    await next(connect({}, { origin: url }), 'snapshot');
  });
});

describe('throttle', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs at most once per interval', () => {
    let acts = 0;
    const pace = new Throttle(100, () => {
      acts += 1;
    });
    for (let ms = 0; ms < 250; ms += 10) {
      pace.request();
      vi.advanceTimersByTime(10);
    }
    expect(acts).toBe(2);
    pace.stop();
    vi.advanceTimersByTime(1_000);
    expect(acts).toBe(2);
  });
});
