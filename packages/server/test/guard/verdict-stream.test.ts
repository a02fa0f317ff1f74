import { waitFor } from '@loopwatch/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;
const readers: StreamReader[] = [];

interface Message {
  event: string;
  id?: string;
  data: unknown;
}

/** Reads a stream until it is closed. */
class StreamReader {
  readonly messages: Message[] = [];
  text = '';
  ended = false;
  readonly #abort = new AbortController();

  constructor(session: string, lastEventId?: string) {
    readers.push(this);
    void this.#read(session, lastEventId);
  }

  get verdictIds(): (string | undefined)[] {
    return this.messages.filter(({ event }) => event === 'verdict').map(({ id }) => id);
  }

  get stops(): unknown[] {
    return this.#dataOf('stop');
  }

  get triages(): unknown[] {
    return this.#dataOf('triage');
  }

  #dataOf(of: string): unknown[] {
    return this.messages.filter(({ event }) => event === of).map(({ data }) => data);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(session: string, lastEventId?: string): Promise<void> {
    try {
      const response = await fetch(`${url}/api/v1/sessions/${encodeURIComponent(session)}/verdicts/stream`, {
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
        signal: this.#abort.signal,
      });
      let rest = '';
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        this.text += piece;
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
          const event = fields.get('event');
          const id = fields.get('id');
          if (event !== undefined)
            this.messages.push({ event, ...(id && { id }), data: JSON.parse(fields.get('data')!) });
        }
      }
    } catch {
      // Closed by the test.
    }
    this.ended = true;
  }
}

beforeEach(async () => {
  ({ url, log, server, stored } = await startServer({ openDatabase: emptyDatabase }));
});

afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await server.stop();
});

const at = (seconds: number) => ({ detectedAt: START + seconds * 1_000 });
const stop = (method: string, session = 's-1') => fetch(`${url}/api/v1/sessions/${session}/stop`, { method });

describe('GET /sessions/:id/verdicts/stream', () => {
  it('sends stored verdicts, then each new one, as in GET /verdicts', async () => {
    log.appendVerdict(verdict({ incidentId: 'i-1' }));
    log.appendVerdict(verdict({ incidentId: 'i-other', sessionId: 's-2' }));
    await stored();
    const reader = new StreamReader('s-1');
    await waitFor(() => reader.verdictIds.length === 1);
    log.appendVerdict(verdict({ incidentId: 'i-1', phase: 'escalated', count: 6, ...at(30) }));
    await waitFor(() => reader.verdictIds.length === 2);
    const listed = (await (await fetch(`${url}/api/v1/verdicts?sessionId=s-1`)).json()) as {
      items: unknown[];
    };
    const received = reader.messages.filter(({ event }) => event === 'verdict').map(({ data }) => data);
    expect(received).toEqual(listed.items.toReversed());
    expect(reader.text).toMatch(/^retry: \d+\n\n/);
  });

  it('resumes after Last-Event-ID', async () => {
    const all = [0, 30, 60, 90].map((seconds, count) => verdict({ count, ...at(seconds) }));
    for (const one of all) log.appendVerdict(one);
    await stored();
    const reader = new StreamReader('s-1', all[1]!.id);
    await waitFor(() => reader.verdictIds.length >= 2);
    expect(reader.verdictIds).toEqual([all[2]!.id, all[3]!.id]);
  });

  it('sends a verdict with an earlier time than the previous one', async () => {
    const first = verdict({ count: 1, ...at(60) });
    log.appendVerdict(first);
    await stored();
    const [live, resumed] = [new StreamReader('s-1'), new StreamReader('s-1', first.id)];
    await waitFor(() => live.verdictIds.length === 1);
    const second = verdict({ count: 2, ...at(55) });
    log.appendVerdict(second);
    await waitFor(() => live.verdictIds.length === 2 && resumed.verdictIds.length === 1);
    expect(live.verdictIds).toEqual([first.id, second.id]);
    expect(resumed.verdictIds).toEqual([second.id]);
  });

  it('sends more than a page of verdicts, each once', async () => {
    const all = Array.from({ length: 65 }, (_, count) => verdict({ count, ...at(count / 100) }));
    for (const one of all) log.appendVerdict(one);
    await stored();
    const reader = new StreamReader('s-1');
    await waitFor(() => reader.verdictIds.length >= 65);
    expect(reader.verdictIds).toEqual(all.map(({ id }) => id));
  });

  it('sends whether the session is stopped, first and at each change', async () => {
    log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
    await stored();
    expect((await stop('POST')).status).toBe(200);
    const reader = new StreamReader('s-1');
    const other = new StreamReader('s-2');
    await waitFor(() => reader.stops.length === 1 && other.stops.length === 1);
    expect((await stop('DELETE')).status).toBe(200);
    await waitFor(() => reader.stops.length === 2);
    const put = await fetch(`${url}/api/v1/settings/server`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ set: { stopped: true } }),
    });
    expect(put.status, await put.text()).toBe(200);
    await waitFor(() => reader.stops.length === 3 && other.stops.length === 2);
    expect(reader.stops).toEqual([{ stopped: true }, { stopped: false }, { stopped: true }]);
    expect(other.stops).toEqual([{ stopped: false }, { stopped: true }]);
  });

  it('sends which open incidents are dismissed, at each change', async () => {
    log.appendVerdict(verdict({ incidentId: 'i-1' }));
    log.appendVerdict(verdict({ incidentId: 'i-2' }));
    await stored();
    const triage = async (status: string) => {
      const put = await fetch(`${url}/api/v1/incidents/i-1`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ status }),
      });
      expect(put.status, await put.text()).toBe(200);
    };
    const reader = new StreamReader('s-1');
    await waitFor(() => reader.triages.length === 1);
    await triage('false_positive');
    await waitFor(() => reader.triages.length === 2);
    await triage('new');
    await waitFor(() => reader.triages.length === 3);
    expect(reader.triages).toEqual([{ dismissed: [] }, { dismissed: ['i-1'] }, { dismissed: [] }]);
  });

  it('ends when the server stops', async () => {
    const reader = new StreamReader('s-1');
    await waitFor(() => reader.stops.length === 1);
    await server.stop();
    await waitFor(() => reader.ended);
  });

  it('answers HEAD without opening a stream', async () => {
    const answer = await fetch(`${url}/api/v1/sessions/s-1/verdicts/stream`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  it('requires a token like the rest of the API', async () => {
    const started = await startServer({ openDatabase: emptyDatabase, tokens: { viewer: 'v'.repeat(32) } });
    const path = `${started.url}/api/v1/sessions/s-1/verdicts/stream`;
    expect((await fetch(path)).status).toBe(401);
    const allowed = await fetch(path, { headers: { authorization: `Bearer ${'v'.repeat(32)}` } });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await allowed.body!.cancel();
    await started.server.stop();
  });
});
