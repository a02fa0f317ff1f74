import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from './dashboard-queries.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const { groups } = parse(read('prometheus/alerts.yml')) as {
  groups: { rules: { alert: string; annotations: Readonly<Record<string, string>> }[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const sections = new Map(
  read('docs/runbooks.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n', 1)[0] ?? '', section]),
);

describe('runbooks', () => {
  it('runbooks: each alert has one, and each belongs to an alert', () => {
    expect([...sections.keys()]).toEqual(alerts.map(({ alert }) => alert));
  });

  it.each(alerts)('alert $alert: links to its runbook', ({ alert, annotations }) => {
    const base = '{{ or $externalLabels.loopwatch_runbooks `docs/runbooks.md` }}';
    expect(annotations['runbook_url']).toBe(`${base}#${alert.toLowerCase()}`);
  });

  it.each([...sections])('runbook %s: explains meaning, diagnosis, remedy and recovery', (_, text) => {
    const parts = ['Meaning', 'Look', 'Do', 'Resolved'].map((part) => text.indexOf(`**${part}.** `));
    expect(parts.every((at) => at > 0)).toBe(true);
    expect(parts.toSorted((a, b) => a - b)).toEqual(parts);
  });
});
