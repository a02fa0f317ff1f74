import { readFileSync } from 'node:fs';
import { detectionSchema, settingsSchema } from '@loopwatch/contract';
import { scopeKinds } from '@loopwatch/contract/api';
import { settingPaths } from '@loopwatch/contract/internal';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { applyControl, withScope } from '@loopwatch/detectors/internal';
import { describe, expect, test } from 'vitest';
import { type core, safeParse } from 'zod/mini';
import { checkSettings } from '../../src/settings/check-settings.ts';
import { parseScope } from '../../src/settings/scope.ts';
import { settingKeys } from '../../src/settings/setting-keys.ts';

const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('## Where a setting may be set');
/** Rows of the table: the keys, or blocks, of the first column, and whether each scope takes them. */
const rows = [...section.matchAll(/^\| (.+?) \| (yes|no) \| (yes|no) \| (yes|no) \|$/gm)].map(
  ([, keys = '', ...takes]) => ({
    keys: [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key),
    takes: takes.slice(0, 3).map((word) => word === 'yes'),
  }),
);

function documented(path: string): readonly boolean[] {
  const row = rows.find(({ keys }) => keys.some((key) => path === key || path.startsWith(`${key}.`)));
  return (row ?? rows.at(-1))?.takes ?? [];
}

const base = detectionSchema.parse({});
const scopes = { server: 'server', model: 'model:openai/gpt-5', session: 'session:s-1' } as const;
const defaults = new Map(
  settingPaths(settingsSchema).map(({ path, schema }) => [
    path,
    safeParse(schema as core.$ZodType, undefined).data,
  ]),
);
const keyFault = /is no setting|belongs to the process/;

function isTaken(scope: keyof typeof scopes, path: string): boolean {
  // No value fits every key: only what is said of the key counts.
  const set = { [path]: defaults.get(path) ?? { no: 'value' } };
  if (scope === 'session') {
    const result = applyControl(base, {}, { set });
    return !('refused' in result && 'path' in result.refused);
  }
  const result = withScope(base, scopes[scope], set);
  return !('refused' in result && keyFault.test(result.refused));
}

test('docs/configuration.md has the table of scopes', () => {
  expect(rows.map(({ takes }) => takes)).toEqual([
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [true, false, true],
    [true, true, true],
  ]);
});

describe.each(settingPaths(settingsSchema).map(({ path }) => path))('%s', (path) => {
  test('is accepted in the documented scopes', () => {
    expect(scopeKinds.map((scope) => isTaken(scope, path))).toEqual(documented(path));
  });

  test('is offered by the API where it is accepted, and rejected with a hint elsewhere', () => {
    const offered = settingKeys().find((key) => key.path === path)?.scopes ?? [];
    expect(scopeKinds.map((scope) => offered.includes(scope))).toEqual(documented(path));
    for (const scope of scopeKinds.filter((kind) => !offered.includes(kind))) {
      const set = { [path]: defaults.get(path) ?? null };
      try {
        checkSettings(base, parseScope(scopes[scope]), set);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ status: 400, message: expect.stringContaining(path) as unknown });
        if (!/^(?:agents(?:\..+)?|prices|stopped|budget\.per)$/.test(path))
          expect(String(error)).toMatch(/: set it in its file, by LOOPWATCH_\w+ or by --set /);
      }
    }
  });

  test('is rejected in a control event as in the API', () => {
    const analyzer = createSessionAnalyzer({});
    analyzer.push({ type: 'control', sessionId: 's-1', set: { [path]: defaults.get(path) ?? null } });
    const overrides = analyzer.snapshot()?.state.overrides ?? {};
    if (documented(path)[2] === false) expect(overrides).toEqual({});
  });
});
