import { expect, it } from 'vitest';
import { KnownCalls } from '../../src/record/known-calls.ts';

/** More than are remembered. */
const MANY = 10_001;

it('known calls: the ids of calls are forgotten with the calls, so memory is bounded', () => {
  const calls = new KnownCalls();
  const idOf = (message: string) => calls.ofMessage(message, message, 'read', message);
  expect(idOf('a')).toBe('a');
  expect(idOf('a')).toBe('a');
  for (let i = 0; i < MANY; i += 1) idOf(`m-${String(i)}`);
  expect(idOf('a')).toBe('a');
});
