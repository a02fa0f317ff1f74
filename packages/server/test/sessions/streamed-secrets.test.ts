import type { SessionEvents, SessionOutline, SessionRecord } from '@loopwatch/contract/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary, verdict } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const secret = 'Zq7Lm2Xv9Kt4Rb8Wn3Yc6Hd1Pf5Gs0Ja';
const texts = {
  thought: `I log in with sk-proj-${secret}, as before. `,
  content: `Use\n-----BEGIN PRIVATE KEY-----\n${secret.repeat(40)}\n-----END PRIVATE KEY-----\nfor it. `,
};
/** As models stream: a few characters in each event, among events of a type that is unknown here. */
const events = Object.entries(texts).flatMap(([type, text], turn) => [
  { sessionId: 's-1', type: 'turn_started', id: `turn-${String(turn)}` },
  ...(text.match(/[\s\S]{1,4}/g) ?? []).flatMap((piece, i) => {
    const event = { sessionId: 's-1', type, text: piece, id: `${type}-${String(i)}` };
    // Some are delivered twice.
    if (i % 7 === 6) return [event, event];
    return i % 7 === 3 ? [event, { sessionId: 's-1', type: 'progress', id: `p-${String(i)}` }] : [event];
  }),
]);
/** Any of it that is longer than a word. */
const leaks = (text: string): string[] =>
  Array.from({ length: secret.length - 3 }, (_, i) => secret.slice(i, i + 4)).filter((part) =>
    text.includes(part),
  );

let url: string;
let server: LoopwatchServer;

beforeAll(async () => {
  const started = await startServer({ openDatabase: emptyDatabase });
  ({ url, server } = started);
  const { log } = started;
  events.forEach((event, i) => {
    log.append(topics.events, JSON.stringify({ ...event, time: START + i }), { key: 's-1' });
  });
  const source = {
    topic: topics.events,
    partition: 0,
    firstOffset: '0',
    lastOffset: String(events.length - 1),
  };
  log.append(topics.sessions, JSON.stringify(summary('s-1', { source, events: events.length })), {
    key: 's-1',
  });
  log.appendVerdict(verdict({ incidentId: 'i-1', sessionId: 's-1' }));
  await started.stored();
  const body = JSON.stringify({ status: 'acknowledged' });
  await fetch(`${url}/api/v1/incidents/i-1`, { method: 'PATCH', body });
});

afterAll(() => server.stop());

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

/** What the events say, each once. */
function textOf(shown: readonly object[]): string {
  const byId = new Map(shown.map((event) => [(event as { id: string }).id, event as { text?: string }]));
  return [...byId.values()].map(({ text = '' }) => text).join('');
}

const masked = 'I log in with ‹masked›, as before. Use\n‹masked›\nfor it. ';

it.each([1, 7, 200, 1000])(
  'pages of %i events show no part of a secret that is spread over them',
  async (limit) => {
    const items: SessionEvents['items'] = [];
    let path = '';
    for (let pages = 0; pages < (limit === 1 ? 40 : 1000); pages += 1) {
      const page = await read<SessionEvents>(`sessions/s-1/events?limit=${String(limit)}${path}`);
      items.push(...page.items);
      if (page.after === null || page.items.length === 0) break;
      path = `&after=${encodeURIComponent(page.after)}`;
    }
    expect(leaks(JSON.stringify(items))).toEqual([]);
    const shown = textOf(items.flatMap(({ event }) => event ?? []));
    expect(masked.startsWith(shown)).toBe(true);
    if (limit > 1) expect(shown).toBe(masked);
  },
);

it('a single record shows no part of such a secret', async () => {
  const offsets = Array.from({ length: 40 }, (_, i) => i * 9).filter((offset) => offset < events.length);
  for (const offset of offsets) {
    const { value } = await read<SessionRecord>(`sessions/s-1/records/${String(offset)}`);
    expect(leaks(value ?? '')).toEqual([]);
  }
});

it('the search finds no part of such a secret', async () => {
  const search = (text: string) => read<SessionOutline>(`sessions/s-1/outline?q=${encodeURIComponent(text)}`);
  for (const part of texts.thought.match(/[\s\S]{1,4}/g) ?? []) {
    const { matches } = await search(part);
    expect(leaks(JSON.stringify(matches))).toEqual([]);
    if (part === 'I lo') expect(matches).toHaveLength(1);
  }
});

it('the export contains no part of such a secret', async () => {
  const text = await (await fetch(`${url}/api/v1/exports/events.jsonl`)).text();
  expect(leaks(text)).toEqual([]);
  expect(
    textOf(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ),
  ).toBe(masked);
});
