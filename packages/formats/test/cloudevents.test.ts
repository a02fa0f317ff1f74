import { describe, expect, it } from 'vitest';
import { outline, readAll } from './read-all.ts';

const envelope = (data: unknown, subject?: string) => ({
  specversion: '1.0',
  id: '1',
  source: '/a',
  type: 'agent.event',
  subject,
  data,
});
const said = {
  id: 'e',
  timestamp: '2026-04-02T15:25:41',
  source: 'user',
  kind: 'MessageEvent',
  llm_message: { role: 'user', content: 'look' },
};

describe('CloudEvents', () => {
  it('are read by the format of their data, in the session of their subject', () => {
    const { events } = readAll('auto', [
      envelope(said, 'a'),
      envelope(JSON.stringify(said), 'b'),
      envelope(said),
    ]);
    expect(outline(events)).toEqual(['prompt_started look', 'prompt_started look', 'prompt_started look']);
    expect(events.map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'file']);
  });

  it('say what is wrong with their data, and are counted where they have none', () => {
    expect(readAll('cloudevents', [envelope('no json'), envelope(undefined)])).toMatchObject({
      events: [],
      ignored: ['cloudevent without data'],
      faults: [{ reason: 'not_an_object' }],
    });
  });
});
