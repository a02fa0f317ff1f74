import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const runSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** Its labels have it as their `source`. */
  dataset: z.string().min(1),
  /** In the dataset's repository. */
  path: z.string().min(1),
  /** Which run of a file with several; each reader says how. */
  part: z.string().min(1).optional(),
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
});

/** Where a labelled run is published. */
export type PublicRun = z.infer<typeof runSchema>;

/** The labelled runs that can be fetched. */
export function publicRuns(): PublicRun[] {
  return readFileSync(join(import.meta.dirname, '../data/public-runs.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => runSchema.parse(JSON.parse(line)));
}
