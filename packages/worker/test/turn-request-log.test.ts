import { describe, expect, test, vi } from 'vitest';
import { logTurnRequest } from '../src/turn-request-log.ts';

/** What is logged while a session makes its requests: level and line. */
function lines(requests: number, allowed: number, session = 's-1'): string[] {
  const found: string[] = [];
  const level = (name: string) => vi.fn((_: object, line: string) => found.push(`${name} ${line}`));
  const logger = { debug: level('DEBUG'), warn: level('WARN') } as never;
  for (let number = 1; number <= requests; number += 1) logTurnRequest(logger, session, { number, allowed });
  return found;
}

describe('the lines about model requests', () => {
  test('count each, warn two before the limit, and once when it is exceeded', () => {
    expect(lines(6, 4)).toEqual([
      'DEBUG Turn request 1/4 for session s-1',
      'DEBUG Turn request 2/4 for session s-1',
      'WARN Approaching turn request limit for session s-1 (2/4)',
      'DEBUG Turn request 3/4 for session s-1',
      'DEBUG Turn request 4/4 for session s-1',
      'WARN Session s-1 exceeded max turn requests (5/4)',
    ]);
  });

  test.each([
    { allowed: 1, approaching: 0 },
    { allowed: 2, approaching: 0 },
    { allowed: 3, approaching: 1 },
    { allowed: 10, approaching: 1 },
  ])('warn of a limit of $allowed $approaching times', ({ allowed, approaching }) => {
    const near = lines(allowed, allowed).filter((line) => line.startsWith('WARN Approaching'));
    expect(near).toHaveLength(approaching);
  });

  test('stay on one line, whatever a session is called', () => {
    expect(lines(1, 9, 's\nERROR forged')).toEqual(['DEBUG Turn request 1/9 for session s ERROR forged']);
  });
});
