import { describe, expect, it } from 'vitest';
import { Translator } from '../src/index.ts';
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
  it('are read in the format of their data and the session of their subject', () => {
    const { events } = readAll('auto', [
      envelope(said, 'a'),
      envelope(JSON.stringify(said), 'b'),
      envelope(said),
    ]);
    expect(outline(events)).toEqual(['prompt_started look', 'prompt_started look', 'prompt_started look']);
    expect(events.map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'file']);
  });

  it('complete canonical events that lack a session or an id', () => {
    const content = { type: 'content', text: 'Hello' };
    const translator = new Translator({ format: 'auto' });
    const read = translator.readValue(envelope(content, 's-1'));
    expect(read).toMatchObject({ isCanonical: false, faults: [] });
    expect(read.events).toEqual([{ ...content, sessionId: 's-1', id: '/a#1.0' }]);
    const own = { ...content, sessionId: 's-2', id: 'own' };
    expect(translator.readValue(envelope(own, 's-1')).events).toEqual([own]);
  });

  it('may have their data as base64', () => {
    const { data: _, ...rest } = envelope(undefined, 'a');
    const encoded = Buffer.from(JSON.stringify({ type: 'content', text: 'Grüße' })).toString('base64');
    const { events } = readAll('auto', [{ ...rest, data_base64: encoded }]);
    expect(events).toMatchObject([{ sessionId: 'a', text: 'Grüße' }]);
  });

  it('report errors in their data, and are counted if they have none', () => {
    expect(readAll('cloudevents', [envelope('no json'), envelope(undefined)])).toMatchObject({
      events: [],
      ignored: ['cloudevent without data'],
      faults: [{ reason: 'not_an_object' }],
    });
  });
});
