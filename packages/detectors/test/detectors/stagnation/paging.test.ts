import { expect, it } from 'vitest';
import { canonicalArguments, toolIdentity } from '../../../src/calls/tool-identity.ts';
import { turnsPages } from '../../../src/detectors/stagnation/paging.ts';

const identity = (args: unknown) => toolIdentity('read', canonicalArguments(args));

it.each([
  ['a page', { page: 1 }, { page: 2 }],
  ['an offset in one file', { path: 'a.ts', offset: 0 }, { path: 'a.ts', offset: 200 }],
  [
    'the two ends of a range',
    { path: 'a.ts', start_line: 1, end_line: 50 },
    { path: 'a.ts', start_line: 51, end_line: 99 },
  ],
  ['a range', { path: 'a.ts', view_range: [1, 50] }, { path: 'a.ts', view_range: [51, 100] }],
  ['numbers as text', { q: 'tram', pageNumber: '1' }, { q: 'tram', pageNumber: '2' }],
])('%s is another page of the same', (_, a, b) => {
  expect(turnsPages(identity(a), identity(b))).toBe(true);
  expect(turnsPages(identity(b), identity(a))).toBe(true);
});

it.each([
  ['the same page', { page: 1 }, { page: 1 }],
  ['another file', { path: 'a.ts', offset: 0 }, { path: 'b.ts', offset: 200 }],
  ['another thing of a kind', { id: 1 }, { id: 2 }],
  ['another day', { start: '2026-01-01' }, { start: '2026-01-02' }],
  ['a later time', { since: 1000 }, { since: 1060 }],
  ['a page that is named', { page: 'home' }, { page: 'about' }],
  ['other arguments', { page: 1 }, { offset: 1 }],
  ['more arguments', { page: 1 }, { page: 2, limit: 5 }],
  ['a text, not arguments', '1', '2'],
  ['arguments too long to be kept', { path: 'x'.repeat(600), page: 1 }, { path: 'x'.repeat(600), page: 2 }],
])('%s is none', (_, a, b) => expect(turnsPages(identity(a), identity(b))).toBe(false));
