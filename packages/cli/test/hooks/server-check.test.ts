import { expect, it } from 'vitest';
import { sendsTokenAway } from '../../src/hooks/server-check.ts';

it.each<[server: string, tokenEnv: string | undefined, isAway: boolean]>([
  ['http://localhost:4600', 'TOKEN', false],
  ['http://127.0.0.1:4600', 'TOKEN', false],
  ['http://[::1]:4600', 'TOKEN', false],
  ['https://loops.example.com', 'TOKEN', true],
  ['http://localhost.example.com', 'TOKEN', true],
  ['http://127.0.0.1.example.com', 'TOKEN', true],
  ['http://localhost@example.com', 'TOKEN', true],
  ['no address', 'TOKEN', true],
  ['https://loops.example.com', 'UNSET', false],
  ['https://loops.example.com', undefined, false],
])(
  'hook status --project: with %s and the token in %s, the token leaves this machine: %s',
  (server, tokenEnv, isAway) => {
    const hook = { agent: 'codex', server, tokenEnv, waitMs: 500 } as const;
    expect(sendsTokenAway(hook, { TOKEN: 't' })).toBe(isAway);
  },
);
