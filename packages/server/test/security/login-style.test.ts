import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loginStyle } from '../../src/security/login-style.ts';

const tokens = readFileSync(new URL('../../../dashboard/src/tokens.css', import.meta.url), 'utf8');
/** What it says of names and values that begin a line: `--ink: …`. */
const declared = (css: string) =>
  [...css.matchAll(/^\s*(--[\w-]+): ([^;]+);$/gm)].map(([, name, value]) => [name, value]);

it('the login page has the colours and sizes of the dashboard', () => {
  const known = new Map(declared(tokens) as [string, string][]);
  const own = declared(loginStyle) as [string, string][];
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter(([name, value]) => known.get(name) !== value)).toEqual([]);
});

it('uses no colour beside them, and nothing from elsewhere', () => {
  const rules = loginStyle.slice(loginStyle.indexOf('}') + 1);
  expect(rules).not.toMatch(/#[\da-f]{3,8}\b|rgb|oklch|url\(|@import/i);
  const names = new Set(declared(loginStyle).map(([name]) => name));
  const used = [...rules.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});
