import { waitFor } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { openEmbeddedLog } from '../src/index.ts';
import { folder } from './embedded-harness.ts';

it('a reader of a topic of the embedded log has everything that was there when it has started, and goes on', async () => {
  const log = await openEmbeddedLog({ dir: await folder(), topics: ['control'] });
  onTestFinished(() => log.close());
  const sink = log.sink();
  await sink.open();
  const write = (value: string) => sink.publish([{ topic: 'control', key: 'k', value }]);
  for (const value of ['a', 'b']) await write(value);
  const reader = log.reader('control');
  const read: string[] = [];
  await reader.run((records) => {
    read.push(...records.map(({ value }) => String(value)));
  });
  expect(read).toEqual(['a', 'b']);
  await write('c');
  await waitFor(() => read.length === 3);
  expect(read).toEqual(['a', 'b', 'c']);
  await reader.stop();
});
