import type { Verdict, VerdictOutcome } from '@loopwatch/contract';

/** Why a detector closes what is open, as the end of a sentence. */
export function closingReason(outcome: VerdictOutcome): string {
  if (outcome === 'disabled') return 'detection was switched off';
  return outcome === 'recovered' ? 'the turn is streamed again' : 'the prompt or session ended';
}

/** What a verdict's kind is called. */
export const nouns: Readonly<Record<Verdict['kind'], string>> = {
  loop: 'Loop',
  limit: 'Limit',
  outage: 'Outage',
};

/** A reason, standing by itself. */
export function asSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** A text on one line, short enough for a sentence. */
export function quote(text: string, maxUnits = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxUnits ? `“${line}”` : `“${line.slice(0, maxUnits - 1)}…”`;
}
