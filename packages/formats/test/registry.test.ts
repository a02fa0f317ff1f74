import { readFileSync } from 'node:fs';
import { formatNames } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { formats } from '../src/registry.ts';

const page = readFileSync(new URL('../../../docs/connect.md', import.meta.url), 'utf8');

it('formats: every name has a format, and every format a row in docs/connect.md', () => {
  const names = formats.map(({ name }) => name);
  expect(names.toSorted()).toEqual([...formatNames].toSorted());
  const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(names.toSorted());
});
