import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Evaluation } from './evaluate.ts';

/** Sources of ordinary work: every alarm there has to be known and described in docs/detectors/balanced.md. */
const quietSources: readonly string[] = ['claude-code', 'mini-swe-agent'];

/** A session that the preset flags: a labelled loop that it must not lose, or a known alarm of a quiet source. */
const foundSchema = z.strictObject({
  source: z.string(),
  sessionId: z.string(),
  verdict: z.enum(['loop', 'not_loop', 'borderline']).nullable(),
  rules: z.array(z.string()),
});

export type Found = z.infer<typeof foundSchema>;

/** Sorted, so that the committed list changes only where the detectors do. */
export function foundOf({ sessions }: Evaluation): Found[] {
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
export function quietAlarms(found: readonly Found[]): string[] {
  return found.filter(isQuiet).flatMap((one) => one.rules.map((rule) => `${keyOf(one)} ${rule}`));
}

export function foundLoops(found: readonly Found[]): string[] {
  return found.filter(({ verdict }) => verdict === 'loop').map(keyOf);
}

export function readFound(file: string): Found[] {
  return z.array(foundSchema).parse(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  );
}

export function foundLines(found: readonly Found[]): string {
  return found.map((one) => `${JSON.stringify(one)}\n`).join('');
}

export function isQuiet({ source }: Pick<Found, 'source'>): boolean {
  return quietSources.includes(source);
}

function keyOf({ source, sessionId }: Found): string {
  return `${source} ${sessionId}`;
}
