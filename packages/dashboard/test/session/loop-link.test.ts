import { expect, test } from 'vitest';
import { loopSearch } from '../../src/session/loop-link.ts';
import { row } from '../rows.ts';

test('loopSearch: leads to the event at which the loop began, in its part of the session, else to the incident', () => {
  const began = { eventIndex: 7, eventId: 'e-7', time: 0 };
  expect(loopSearch(row({ began }))).toEqual({ at: '7' });
  const source = { topic: 'events', partition: 0, firstOffset: '30', offset: '41' };
  expect(loopSearch(row({ began, source }))).toEqual({ at: '7', part: '41' });
  const { began: _, ...unknown } = row({ id: 'i-9', began });
  expect(loopSearch(unknown)).toEqual({ incident: 'i-9' });
});
