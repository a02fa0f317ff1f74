import { settingsSchema, topicNames } from '@loopwatch/contract';
import { tempDir } from '@loopwatch/testkit';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { openDataDir } from '../../src/runtime/embedded-log.ts';

it('openDataDir: says that the database is gone only if the log holds records', async () => {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const settings = settingsSchema.parse({ storage: { data_dir: dir.path } });
  const topics = topicNames(settings.kafka.topics);
  const open = async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    return { log: await openDataDir(settings, topics, logger), lines };
  };
  const first = await open();
  await first.log.close();
  const second = await open();
  expect(second.lines).toEqual([]);
  const sink = second.log.sink();
  await sink.open();
  await sink.publish([{ topic: topics.events, key: 'a', value: '{}' }]);
  await second.log.close();
  const third = await open();
  expect(third.lines).toEqual([expect.stringContaining('The database is gone')]);
  await third.log.close();
});
