import { SessionAnalyzer } from '@loopwatch/detectors';
import { afterEach, expect, it, vi } from 'vitest';
import { calls, metric, records, startWorker } from './fakes.ts';

afterEach(() => void vi.restoreAllMocks());

it('a fault of detection itself is an ERROR and counted, and stops neither the stream nor other sessions', async () => {
  const { log, lines, registry } = await startWorker({ tool_call_loop: { max_repeats: 2 } }, 'info');
  const push = vi.spyOn(SessionAnalyzer.prototype, 'push');
  push.mockImplementationOnce(() => {
    throw new Error('not thought of');
  });
  await log.deliver(records(7, [...calls(1), ...calls(2), ...calls(2, { sessionId: 's-2' })]));
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    {
      msg: 'Detection failed on an event; its session was reset. This is a bug: please report it.',
      sessionId: 's-1',
      offset: 7,
      err: { message: 'not thought of' },
    },
  ]);
  expect(await metric(registry, 'loopwatch_detection_faults_total')).toBe(1);
  expect(log.commits).toEqual(['0@12']);
  expect(log.verdicts.map(({ sessionId, eventIndex }) => [sessionId, eventIndex])).toEqual([
    ['s-1', 1],
    ['s-2', 1],
  ]);
});
