import { auditActions } from '@loopwatch/contract/api';
import { expect, test } from 'vitest';
import { actionNames, readAudit, writeAudit } from '../src/audit/search.ts';
import { parseSearch, writeSearch } from '../src/lib/search.ts';

const all = { kind: 'all' } as const;

test.each([
  ['', { filter: {}, range: all, ignored: [] }],
  ['?action=token.created', { filter: { action: ['token.created'] }, range: all, ignored: [] }],
  [
    '?actor=ann&actor=ben&subject=server',
    { filter: { actor: ['ann', 'ben'], subject: ['server'] }, range: all, ignored: [] },
  ],
  ['?range=7d', { filter: {}, range: { kind: 'last', span: '7d' }, ignored: [] }],
  ['?action=a&who=ann', { filter: {}, range: all, ignored: ['action=a', 'who'] }],
])('readAudit: %s', (text, view) => {
  const read = readAudit(parseSearch(text));
  expect(read).toEqual(view);
  if (read.ignored.length === 0) expect(writeSearch(writeAudit(read))).toBe(text);
});

test('actionNames: no two actions are called the same', () => {
  expect(new Set(auditActions.map((action) => actionNames[action])).size).toBe(auditActions.length);
});
