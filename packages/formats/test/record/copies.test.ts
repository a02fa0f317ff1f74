import { describe, expect, it } from 'vitest';
import { Copies } from '../../src/record/copies.ts';
import { Translator } from '../../src/translator.ts';

const event = (sessionId: string, id?: string) => ({ sessionId, type: 'turn_started', ...(id && { id }) });

describe('copies', () => {
  it('have the id of an event of another owner; the owner may repeat its own', () => {
    const copies = new Copies();
    expect(copies.isCopy(event('a', '1'))).toBe(false);
    expect(copies.isCopy(event('a', '1'))).toBe(false);
    expect(copies.isCopy(event('b', '1'))).toBe(true);
    expect(copies.isCopy(event('a', '1'), 'another folder')).toBe(true);
    expect([copies.isCopy(event('a')), copies.isCopy(event('b'))]).toEqual([false, false]);
  });

  it('are found after a hundred thousand other events', () => {
    const copies = new Copies();
    copies.isCopy(event('a', 'first'));
    for (let i = 0; i < 100_000; i += 1) copies.isCopy(event('c', String(i)));
    expect(copies.isCopy(event('b', 'first'))).toBe(true);
  });

  it('are no longer found once the limit is exceeded, or their owner is forgotten', () => {
    const copies = new Copies(2);
    for (const id of ['1', '2', '3']) copies.isCopy(event('a', id));
    expect(copies.isCopy(event('b', '1'))).toBe(false);
    expect(copies.isCopy(event('b', '3'))).toBe(true);
    copies.forget(new Set(['a']));
    expect(copies.isCopy(event('c', '3'))).toBe(false);
  });

  it('are left out where the format has them, also in envelopes and at the end', () => {
    const copies = new Copies();
    const translator = new Translator({ format: 'auto', isCopy: (one) => copies.isCopy(one) });
    const typesOf = (sessionId: string, wrap = (record: object): object => record) => {
      const record = (type: string, message: object) => ({ type, uuid: type, sessionId, message });
      const records = [
        record('user', { role: 'user', content: 'look' }),
        record('assistant', { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'I look.' }] }),
      ];
      const read = records.flatMap((one) => translator.readValue(wrap(one)).events);
      return [...read, ...translator.end()].map(({ type }) => type);
    };
    expect(typesOf('a')).toEqual(['prompt_started', 'turn_started', 'content', 'turn_finished']);
    expect(typesOf('b')).toEqual([]);
    const inEnvelope = (data: object) => ({ specversion: '1.0', id: '1', source: '/a', type: 't', data });
    expect(typesOf('c', inEnvelope)).toEqual([]);
    const own = { sessionId: 'c', type: 'turn_started', id: 'm.start' };
    expect(translator.readValue(own).events).toEqual([own]);
  });
});
