import { expect, it } from 'vitest';
import { readAll } from './read-all.ts';
import { theThought, thoughtRecords } from './thoughts.ts';

it.each(Object.keys(thoughtRecords))('%s: what the model thinks is read as a thought', (name) => {
  const [format, records] = thoughtRecords[name]!;
  for (const named of [format, 'auto'] as const) {
    const { events, faults } = readAll(named, records);
    expect(faults).toEqual([]);
    expect(events.filter(({ type }) => type === 'thought')).toMatchObject([{ text: theThought }]);
    expect(events.filter(({ type, text }) => type === 'content' && text === theThought)).toEqual([]);
  }
});
