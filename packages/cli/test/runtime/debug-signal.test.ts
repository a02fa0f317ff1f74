import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { debugOnSignal } from '../../src/runtime/debug-signal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startLogger(level: string) {
  const messages: string[] = [];
  const logger = pino({ level }, { write: (line: string) => void messages.push(JSON.parse(line).msg) });
  const signals = new EventEmitter();
  let forwarded = 0;
  debugOnSignal(logger, () => forwarded++, signals);
  return { logger, messages, signal: () => signals.emit('SIGUSR2'), forwarded: () => forwarded };
}

it('SIGUSR2: logs at level debug for ten minutes, then at the configured level', () => {
  const { logger, messages, signal, forwarded } = startLogger('warn');
  logger.debug('before');
  signal();
  logger.debug('while');
  vi.advanceTimersByTime(10 * 60_000);
  logger.info('after');
  logger.warn('as configured');
  expect(messages).toEqual([
    'SIGUSR2: logging at level debug for 10 minutes',
    'while',
    'Logging at level warn again',
    'as configured',
  ]);
  expect(forwarded()).toBe(1);
});

it('SIGUSR2: a second signal starts the ten minutes again', () => {
  const { logger, signal } = startLogger('info');
  signal();
  vi.advanceTimersByTime(6 * 60_000);
  signal();
  vi.advanceTimersByTime(6 * 60_000);
  expect(logger.level).toBe('debug');
  vi.advanceTimersByTime(4 * 60_000);
  expect(logger.level).toBe('info');
});
