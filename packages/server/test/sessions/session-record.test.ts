import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { startServer, topics } from '../running-server.ts';
import { summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const spaced = '{ "type": "content",  "text": "größer", "sessionId": "s-1", "extra": 1.0 }';
let url: string;
let server: LoopwatchServer;

beforeAll(async () => {
  const started = await startServer({ openDatabase: emptyDatabase });
  ({ url, server } = started);
  const write = (value: string, key: string, headers: Record<string, Uint8Array> = {}) =>
    started.log.append(topics.events, value, { key, timestamp: 1_760_000_000_000, headers });
  write(spaced, 's-1', { traceparent: Buffer.from('00-ab-cd-01') });
  write('{"type"', 's-1');
  write('{"type":"content","text":"s-1","sessionId":"s-2"}', 's-2');
  write('{"type":"content","text":"a"}', 's\u0000');
  write(String.raw`{"type":"content","text":"b","sessionId":"s\u0000"}`, 's');
  for (const id of ['s-1', 's\u0000'])
    started.log.append(topics.sessions, JSON.stringify(summary(id)), { key: id });
  await started.stored();
});

afterAll(() => server.stop());

const read = (path: string) => fetch(`${url}/api/v1/sessions/${path}`);

describe('a record of a session', () => {
  it('is returned byte for byte, with its position', async () => {
    expect(await (await read('s-1/records/0')).json()).toEqual({
      topic: 'loopwatch.events',
      partition: 0,
      offset: '0',
      timestamp: 1_760_000_000_000,
      key: 's-1',
      headers: { traceparent: '00-ab-cd-01' },
      value: spaced,
      bytes: Buffer.byteLength(spaced),
    });
  });

  it('is returned even when it is not a valid event', async () => {
    expect(await (await read('s-1/records/1')).json()).toMatchObject({ value: '{"type"', bytes: 7 });
  });

  it.each(['s%00', 's%EF%BF%BD'])(
    'is found under the name %s, which the database cannot store',
    async (name) => {
      for (const [offset, text] of [
        ['3', 'a'],
        ['4', 'b'],
      ])
        expect(await (await read(`${name}/records/${offset}`)).json()).toMatchObject({
          value: expect.stringContaining(`"text":"${text}"`),
        });
    },
  );

  it.each([
    ['the offset of another session', 's-1/records/2'],
    ['an offset beyond the end', 's-1/records/5'],
    ['a negative offset', 's-1/records/-1'],
    ['an offset that is not a decimal number', 's-1/records/0x0'],
    ['an unknown session', 's-9/records/0'],
  ])('is not found with %s', async (_what, path) => {
    const answer = await read(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      expect.stringContaining('application/problem+json'),
    ]);
  });
});
