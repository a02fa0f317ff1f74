import { analyzedByHeader } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { calls, records, startWorker } from './fakes.ts';

it('events that were judged where they came about lead to no second verdict, and are counted', async () => {
  const { log, registry, lines } = await startWorker({ preset: 'stream' }, 'warn');
  await log.deliver(records(0, calls(5), { headers: { [analyzedByHeader]: Buffer.from('gateway') } }));
  expect(log.verdicts).toEqual([]);
  expect(lines).toEqual([]);
  expect(await registry.metrics()).toContain('loopwatch_events_total{type="tool_call_request"} 5');
  await log.deliver(records(5, calls(5, { sessionId: 's-2' })));
  expect(log.verdicts).toHaveLength(1);
});
