import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Evaluation } from './evaluate.ts';

/** Sources of ordinary work; docs/detectors/balanced.md describes every alarm in them. */
const quietSources: readonly string[] = ['claude-code', 'mini-swe-agent'];

/** A session that the preset flags: a labelled loop, or a known alarm in a quiet source. */
const findingSchema = z.strictObject({
  source: z.string(),
  sessionId: z.string(),
  verdict: z.enum(['loop', 'not_loop', 'borderline']).nullable(),
  rules: z.array(z.string()),
});

export type Finding = z.infer<typeof findingSchema>;

/** Sorted, so that the committed list changes only where the detectors do. */
export function findingsOf({ sessions }: Evaluation): Finding[] {
  return sessions
    .filter(({ outcome, hits, source }) => outcome === 'found' || (hits.length > 0 && isQuiet({ source })))
    .map(({ source, sessionId, verdict, hits }) => ({
      source,
      sessionId,
      verdict,
      rules: hits.map(({ rule }) => rule).toSorted(),
    }))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The alarms of the quiet sources, one per rule. */
export function quietAlarms(found: readonly Finding[]): string[] {
  return found.filter(isQuiet).flatMap((one) => one.rules.map((rule) => `${keyOf(one)} ${rule}`));
}

export function foundLoops(found: readonly Finding[]): string[] {
  return found.filter(({ verdict }) => verdict === 'loop').map(keyOf);
}

export function readFindings(file: string): Finding[] {
  return z.array(findingSchema).parse(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  );
}

export function formatFindings(found: readonly Finding[]): string {
  return found.map((one) => `${JSON.stringify(one)}\n`).join('');
}

export function isQuiet({ source }: Pick<Finding, 'source'>): boolean {
  return quietSources.includes(source);
}

function keyOf({ source, sessionId }: Finding): string {
  return `${source} ${sessionId}`;
}
