import { expect, it } from 'vitest';
import { toolIdentity } from '../../../src/calls/step.ts';
import { turnsPages } from '../../../src/detectors/stagnation/paging.ts';
import { canonicalArguments } from '../../../src/lib/canonical-json.ts';

const identity = (args: unknown) => toolIdentity('read', canonicalArguments(args));

it.each([
  ['a page', { page: 1 }, { page: 2 }],
  ['an offset in one file', { path: 'a.ts', offset: 0 }, { path: 'a.ts', offset: 200 }],
  [
    'a change of both ends of a range',
    { path: 'a.ts', start_line: 1, end_line: 50 },
    { path: 'a.ts', start_line: 51, end_line: 99 },
  ],
  ['a range', { path: 'a.ts', view_range: [1, 50] }, { path: 'a.ts', view_range: [51, 100] }],
  ['a page number as text', { q: 'tram', pageNumber: '1' }, { q: 'tram', pageNumber: '2' }],
])('paging: %s counts as another page', (_, a, b) => {
  expect(turnsPages(identity(a), identity(b))).toBe(true);
  expect(turnsPages(identity(b), identity(a))).toBe(true);
});

it.each([
  ['the same page', { page: 1 }, { page: 1 }],
  ['another file', { path: 'a.ts', offset: 0 }, { path: 'b.ts', offset: 200 }],
  ['another item', { id: 1 }, { id: 2 }],
  ['another day', { start: '2026-01-01' }, { start: '2026-01-02' }],
  ['a later time', { since: 1000 }, { since: 1060 }],
  ['a named page', { page: 'home' }, { page: 'about' }],
  ['a change in other arguments', { page: 1 }, { offset: 1 }],
  ['an additional argument', { page: 1 }, { page: 2, limit: 5 }],
  ['text instead of arguments', '1', '2'],
  [
    'a call with arguments too long to store',
    { path: 'x'.repeat(600), page: 1 },
    { path: 'x'.repeat(600), page: 2 },
  ],
])('paging: %s does not count as another page', (_, a, b) =>
  expect(turnsPages(identity(a), identity(b))).toBe(false),
);
