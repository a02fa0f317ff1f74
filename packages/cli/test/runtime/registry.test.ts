import { expect, it } from 'vitest';
import { version } from '../../src/runtime/installation.ts';
import { processRegistry } from '../../src/runtime/registry.ts';

it('metrics: every process tells the versions of Loopwatch and Node', async () => {
  const text = await processRegistry().metrics();
  expect(text).toContain(`loopwatch_build_info{version="${version}",node="${process.version}"} 1\n`);
  expect(text).toContain('process_start_time_seconds ');
});
