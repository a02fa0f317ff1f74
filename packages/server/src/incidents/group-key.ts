import { createHash } from 'node:crypto';
import type { Verdict } from '@loopwatch/contract';

/** The same for identical loops: the same detector, rule, calls or text, by the same agent on the same model. */
export function groupKey(verdict: Verdict): string {
  const { detector, agent, backend, model } = verdict;
  const what = [detector, verdict.evidence['rule'] ?? null, ...subjectOf(verdict), agent, backend, model];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16);
}

/** What repeats. A cycle is the same wherever it was entered, and so is a repeated text wherever it was cut. */
function subjectOf({ evidence, tool }: Verdict): unknown[] {
  const { cycle, repeated, window } = evidence as { cycle?: unknown; repeated?: unknown; window?: unknown };
  if (Array.isArray(cycle)) {
    const steps = cycle.map((step) => JSON.stringify([nameOf(step, 'name'), nameOf(step, 'arguments')]));
    return ['cycle', ...steps.toSorted()];
  }
  const text = typeof repeated === 'string' ? repeated : nameOf(window, 'text');
  if (typeof text === 'string') return ['text', leastRotation(text.replace(/\s+/g, ' ').toLowerCase())];
  return tool === null ? [] : ['call', tool.name, tool.signature];
}

function nameOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Of all ways to cut a ring of text open, the first in the order of code units (Booth's algorithm, linear). */
function leastRotation(text: string): string {
  const { length } = text;
  let best = 0;
  let other = 1;
  let matched = 0;
  while (other < length && best < length && matched < length) {
    const a = text.charCodeAt((best + matched) % length);
    const b = text.charCodeAt((other + matched) % length);
    if (a === b) {
      matched += 1;
      continue;
    }
    if (a > b) best += matched + 1;
    else other += matched + 1;
    if (best === other) other += 1;
    matched = 0;
  }
  const start = Math.min(best, other);
  return text.slice(start) + text.slice(0, start);
}
