import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { filledIn, readDashboards, root } from './dashboard-queries.ts';

const tool = 'promtool';

/** Runs promtool, which is part of Prometheus. */
function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(tool, args, { cwd: root, encoding: 'utf8' });
  if (error !== undefined) {
    throw new Error('promtool is not installed; run: sudo apt-get install -y prometheus', { cause: error });
  }
  return { status, output: stdout + stderr };
}

/** Checks ad-hoc rules. */
function checkRules(
  exprs: readonly { readonly name: string; readonly expr: string }[],
): ReturnType<typeof promtool> {
  const dir = mkdtempSync(join(tmpdir(), 'loopwatch-promtool-'));
  try {
    const rules = exprs.map(({ name, expr }) => ({ record: name, expr }));
    const file = join(dir, 'rules.yml');
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
    return promtool('check', 'rules', file);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

describe('promtool', () => {
  it.each([
    { what: 'the configuration', args: ['check', 'config', 'prometheus/prometheus.yml'] },
    {
      what: 'the configuration without containers',
      args: ['check', 'config', '--syntax-only', 'deploy/local/prometheus.yml'],
    },
    { what: 'the alerts', args: ['check', 'rules', '--lint=all', '--lint-fatal', 'prometheus/alerts.yml'] },
    { what: 'the tests of the alerts', args: ['test', 'rules', 'prometheus/alerts.test.yml'] },
  ])('promtool: accepts $what', ({ args }) => {
    const { status, output } = promtool(...args);
    expect(status, output).toBe(0);
  });

  it('promtool: parses every query of the dashboards', () => {
    const queries = readDashboards().flatMap(({ uid, panels }) =>
      panels.flatMap(({ id, targets = [] }) =>
        targets.map(({ refId, expr }) => ({
          name: `${uid.replaceAll('-', '_')}:${id}:${refId}`,
          expr: filledIn(expr),
        })),
      ),
    );
    expect(queries.length).toBeGreaterThan(20);
    const { status, output } = checkRules(queries);
    expect(status, output).toBe(0);
  });

  it('promtool: rejects an invalid query', () => {
    expect(checkRules([{ name: 'broken', expr: 'sum(rate(loopwatch_events_total[1m])' }]).status).not.toBe(0);
  });
});
