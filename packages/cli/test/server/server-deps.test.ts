import { settingsSchema } from '@loopwatch/contract';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serverDeps } from '../../src/server/server-deps.ts';

const lines: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
const deps = (server: object) =>
  serverDeps({ settings: settingsSchema.parse({ server }), origins: {} }, logger);

afterEach(() => void vi.unstubAllEnvs());

describe.each(['LOOPWATCH_API_TOKEN', 'LOOPWATCH_VIEWER_TOKEN', 'LOOPWATCH_INGEST_TOKEN'])('%s', (name) => {
  it(`${name}: is refused when it is blank`, () => {
    vi.stubEnv(name, ' \t ');
    expect(() => deps({})).toThrow(`${name} is blank`);
  });

  it(`${name}: counts as not set when it is empty`, () => {
    vi.stubEnv(name, '');
    expect(Object.values(deps({}).tokens ?? {})).toEqual([undefined, undefined, undefined]);
  });
});

it.each([
  ['LOOPWATCH_API_TOKEN', 'LOOPWATCH_VIEWER_TOKEN'],
  ['LOOPWATCH_API_TOKEN', 'LOOPWATCH_INGEST_TOKEN'],
  ['LOOPWATCH_VIEWER_TOKEN', 'LOOPWATCH_INGEST_TOKEN'],
])('%s and %s: are refused when they are the same, so that no one has a role by accident', (one, other) => {
  vi.stubEnv(one, 'a-token-of-one-role');
  vi.stubEnv(other, ' a-token-of-one-role');
  expect(() => deps({})).toThrow('set each to a token of its own');
  vi.stubEnv(other, 'a-token-of-another-role');
  expect(Object.values(deps({}).tokens ?? {}).filter((token) => token !== undefined)).toHaveLength(2);
});

describe('serverDeps without a login', () => {
  it.each(['0.0.0.0', '::', '192.0.2.7', 'watch.acme.example'])(
    'server without a login: is rejected on %s',
    (host) => {
      expect(() => deps({ host })).toThrow(/LOOPWATCH_API_TOKEN.*--allow-anonymous/);
    },
  );

  it.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])(
    'server without a login: may listen on %s',
    (host) => {
      expect(deps({ host }).host).toBe(host);
    },
  );

  it('server without a login: starts with --allow-anonymous, with a warning', () => {
    lines.length = 0;
    expect(deps({ host: '0.0.0.0', allow_anonymous: true }).host).toBe('0.0.0.0');
    expect(lines.join()).toContain('can read and change everything');
  });
});

it('trust_proxy: accepts a number, an address or a range', () => {
  for (const trust_proxy of [['1'], ['10.0.0.0/8', '::1', 'fd00::/8'], ['loopback']]) {
    expect(deps({ trust_proxy }).trustProxy).toEqual(trust_proxy);
  }
  expect(() => deps({ trust_proxy: ['proxy.acme.example'] })).toThrow();
});
