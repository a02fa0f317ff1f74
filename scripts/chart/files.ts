import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartReadme } from './readme.ts';
import { valuesSchema } from './values-schema.ts';

const root = join(import.meta.dirname, '../..');
const chart = 'deploy/helm/loopwatch';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Every generated file of the Helm chart: its path in the repository and its text. Helm reads no files outside a chart. */
export function chartFiles(): ReadonlyMap<string, string> {
  const values = read(`${chart}/values.yaml`);
  const dashboards = readdirSync(join(root, 'grafana/dashboards'));
  return new Map([
    [`${chart}/files/alerts.yml`, read('prometheus/alerts.yml')],
    ...dashboards.map(
      (name) => [`${chart}/files/dashboards/${name}`, read(`grafana/dashboards/${name}`)] as const,
    ),
    [`${chart}/values.schema.json`, `${JSON.stringify(valuesSchema(values), null, 2)}\n`],
    [`${chart}/README.md`, chartReadme(values)],
  ]);
}
