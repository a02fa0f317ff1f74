import { jsonFrom } from '@loopwatch/contract';
import { followsWork } from '../../calls/navigation.ts';
import type { CallStep, PastCall } from '../../calls/step.ts';
import { handsOver } from '../../calls/tool-words.ts';
import { counted, namesOf, quotedResult, sentence } from '../../incident/shown-calls.ts';
import type { StagnationRule } from './options.ts';

/** Agents between whom control may go round. */
const MAX_TARGETS = 3;
/** Threshold factor for several targets: two agents may need each other. */
const PATIENCE = 2;
/** Fields that put a handoff into words. */
const WORDING =
  /^(?:reason|message|msg|note|notes|summary|text|context|task|comment|content|description|instructions?|explanation|rationale|query|input|request|details?)$/i;

/** Control goes to the same agents again and again, in whatever words, and nothing is done in between. */
export const handoffs: StagnationRule = ({ rounds, settled }, { options, knowledge: { agents } }) => {
  if (handoffOf(settled) === null) return null;
  const targets = new Set<string>();
  let count = 0;
  while (count < rounds.length) {
    const step = rounds[rounds.length - 1 - count] as CallStep;
    const call = handoffOf(step);
    if (call === null) break;
    targets.add(targetOf(call));
    if (targets.size > MAX_TARGETS) break;
    count += 1;
    if (followsWork(step)) break;
  }
  const several = targets.size > 1;
  const threshold = options.sameError * (several ? PATIENCE : 1);
  if (count < threshold || targets.size > MAX_TARGETS) return null;
  return {
    rule: 'handoffs',
    steps: rounds.slice(-count),
    count,
    threshold,
    thresholdOf: {
      setting: 'stagnation.same_error',
      value: options.sameError,
      adjustments: several ? ['several-agents'] : [],
    },
    ...sentence`Control was handed over ${counted(count)} times in a row with no work in between, most recently by ${namesOf(settled)}${quotedResult(settled.calls[0], agents)}`,
  };
};

/** The handoff that a step consists of; `null` for other steps, and for one that failed. */
function handoffOf({ calls, kind }: CallStep): PastCall | null {
  const [call] = calls;
  if (calls.length !== 1 || call === undefined || !handsOver(call.identity.name)) return null;
  return kind === 'unknown' || kind === 'ok' ? call : null;
}

/** Whom or what a handoff names, apart from its wording. */
function targetOf({ identity, key }: PastCall): string {
  const value = identity.digest === undefined ? jsonFrom(identity.arguments) : undefined;
  if (typeof value !== 'object' || value === null) return identity.arguments === '' ? identity.name : key;
  const named = Object.entries(value).filter(
    ([field, part]) => !WORDING.test(field) && !(typeof part === 'string' && /\s/.test(part.trim())),
  );
  return `${identity.name} ${JSON.stringify(named)}`;
}
