import { createHash } from 'node:crypto';
import { type DetectorId, type EvidenceOf, readEvidence, ruleOf, type Verdict } from '@loopwatch/contract';

/** Equal for identical loops: same detector, rule, calls or text, by the same agent on the same model. */
export function groupKey(verdict: Verdict): string {
  const { detector, agent, backend, model } = verdict;
  const evidence = readEvidence(detector, verdict.evidence);
  const rule = evidence === undefined ? null : ruleOf(evidence);
  const parts = [detector, rule, ...subjectOf(evidence, verdict), agent, backend, model];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** What repeats, normalized: a cycle is the same wherever it starts, and so is a repeated text. */
function subjectOf(evidence: EvidenceOf<DetectorId> | undefined, { tool, callKey }: Verdict): unknown[] {
  if (evidence !== undefined && 'cycle' in evidence) {
    const steps = evidence.cycle.map((step) => JSON.stringify([step.name, step.arguments]));
    return ['cycle', ...steps.toSorted()];
  }
  const text = evidence !== undefined && 'repeated' in evidence ? evidence.repeated : undefined;
  if (text !== undefined) return ['text', leastRotation(text.replace(/\s+/g, ' ').toLowerCase())];
  return tool === null ? [] : ['call', tool.name, callKey ?? null];
}

/** The lexicographically least rotation of a text (Booth's algorithm, linear). */
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
