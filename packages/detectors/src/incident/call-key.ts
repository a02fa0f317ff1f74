import { callDetectors, shortName, type Verdict } from '@loopwatch/contract';
import { type CallKnowledge, contractOf } from '../agents/agent-knowledge.ts';
import { identifyingArguments } from '../calls/identifying-arguments.ts';
import type { CallStep } from '../calls/step.ts';
import { identityKey, toolIdentity } from '../calls/tool-identity.ts';
import { canonicalArguments } from '../lib/canonical-json.ts';
import { sha256 } from '../lib/digest.ts';
import type { Finding } from './finding.ts';

/*
 * The one answer to the question whether a call continues an open loop, for the analysis that found the loop and for any
 * other that knows only its incident. Signatures are texts for people, masked and truncated, and never compared.
 */

/** A tool call that has not run yet. */
export interface ProposedCall {
  readonly name: string;
  /** An object, or JSON text. */
  readonly args: unknown;
}

/** Calls that a key covers, the latest ones. */
const MAX_CALLS = 32;
const HASH_DIGITS = 16;
const SEPARATOR = '.';
/** Marks the hash of a tool whose calls continue the loop only if the analysis has not resolved it at the call. */
const IF_STILL_OPEN = '~';

/** The distinct calls of the latest steps, by identity. */
export function callsIn(steps: readonly CallStep[]): string[] {
  const keys = new Set<string>();
  for (let i = steps.length - 1; i >= 0 && keys.size < MAX_CALLS; i -= 1)
    for (const { key } of steps[i]?.calls ?? []) if (keys.size < MAX_CALLS) keys.add(key);
  return [...keys];
}

/** The key of a finding: hashes of the calls that continue its loop; undefined if no call does. */
export function callKeyOf({
  detector,
  action,
  tool,
  repeats = [],
  repeatsAlike,
}: Finding): string | undefined {
  if (!callDetectors.has(detector) || repeats.length === 0) return undefined;
  const hashes = repeats.map(hashOf).sort();
  // A blocked tool stays blocked until another tool has returned something new.
  if (tool !== null && detector === 'stagnation' && action === 'block') hashes.push(hashOfTool(tool.name));
  if (tool !== null && repeatsAlike === true) hashes.push(IF_STILL_OPEN + hashOfTool(tool.name));
  return hashes.join(SEPARATOR);
}

/**
 * Whether a call continues the loop of an open incident, or runs into its limit.
 *
 * @param knowledge which arguments identify a call
 * @param isAnalyzed whether the incident is still open after an analysis of the session has processed the call
 */
export function continues(
  { kind, detector, callKey, agent }: Pick<Verdict, 'kind' | 'detector' | 'callKey' | 'agent'>,
  call: ProposedCall,
  knowledge: CallKnowledge,
  isAnalyzed: boolean,
): boolean {
  if (kind === 'limit') return true;
  if (kind === 'outage' || !callDetectors.has(detector) || callKey === undefined) return false;
  const hashes = hashesOf(call, agent ?? null, knowledge);
  return callKey
    .split(SEPARATOR)
    .some((part) =>
      part.startsWith(IF_STILL_OPEN) ? isAnalyzed && hashes.includes(part.slice(1)) : hashes.includes(part),
    );
}

/** The hashes by which keys can refer to a call: as it is, without arguments that do not identify it, and of its tool. */
function hashesOf({ name: fullName, args }: ProposedCall, agent: string | null, knowledge: CallKnowledge) {
  const name = shortName(fullName);
  const identifying = identifyingArguments(name, args, contractOf(name, agent, knowledge));
  return [hashOfCall(name, args), hashOfCall(name, identifying), hashOfTool(name)];
}

/** The hash by which a call is the same as another, whatever its arguments that do not identify it. */
export function callIdentity({ name: fullName, args }: ProposedCall, knowledge: CallKnowledge): string {
  const name = shortName(fullName);
  return hashOfCall(name, identifyingArguments(name, args, contractOf(name, null, knowledge)));
}

function hashOfCall(name: string, args: unknown): string {
  return hashOf(identityKey(toolIdentity(name, canonicalArguments(args))));
}

function hashOf(key: string): string {
  return sha256(key, HASH_DIGITS);
}

function hashOfTool(name: string): string {
  return hashOf(JSON.stringify(['tool', name]));
}
