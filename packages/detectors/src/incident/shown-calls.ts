import type { EvidenceCall, EvidenceOf, Verdict, VerdictOutcome } from '@loopwatch/contract';
import { type AgentKnowledge, unframed } from '../agents/agent-knowledge.ts';
import type { Mark } from '../calls/mark.ts';
import type { CallStep, PastCall } from '../calls/step.ts';
import { signature } from '../calls/tool-identity.ts';
import { clipText, quote } from './clip-text.ts';

/** Why a detector closes an incident, as the end of a sentence. */
export function closingReason(outcome: VerdictOutcome): string {
  if (outcome === 'disabled') return 'detection was disabled';
  return outcome === 'recovered' ? 'the turn was retried' : 'the prompt or session ended';
}

/** Display name of each verdict kind. */
export const nouns: Readonly<Record<Verdict['kind'], string>> = {
  loop: 'Loop',
  limit: 'Limit',
  outage: 'Outage',
};

/** A reason as a standalone sentence. */
export function asSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** Units of arguments, or of a result, that a sentence shows. */
const QUOTED_UNITS = 80;
/** Number of a step's calls that a sentence shows. */
const QUOTED_CALLS = 2;

/** Text from the agent or a tool, as part of a sentence. */
interface Quotation {
  readonly quoted: string;
  /** Its replacement in the plain form; default: empty. */
  readonly plain?: string;
}
/** The count in a sentence. */
interface Count {
  readonly count: number;
}
type Part = string | number | Quotation | Count | readonly Part[];

/** A sentence of a verdict, with and without text from the agent and its tools. */
export interface Sentence {
  readonly reason: string;
  readonly plainReason: string;
  /** Index of the count in each form; undefined if there is none. */
  readonly countAt: number | undefined;
  readonly plainCountAt: number | undefined;
}

/** Builds a sentence; its plain form omits the quotations. */
export function sentence(texts: TemplateStringsArray, ...values: readonly Part[]): Sentence {
  const parts = texts.flatMap((text, i): Part[] => [text, values[i] ?? '']);
  const at = parts.findIndex((part) => typeof part === 'object' && 'count' in part);
  const countAt = (quotes: boolean) => (at === -1 ? undefined : joined(parts.slice(0, at), quotes).length);
  return {
    reason: joined(parts, true),
    plainReason: joined(parts, false),
    countAt: countAt(true),
    plainCountAt: countAt(false),
  };
}

/** Marks the count of a sentence, at most one per sentence. */
export function counted(count: number): Count {
  return { count };
}

function joined(part: Part, quotes: boolean): string {
  if (typeof part === 'string' || typeof part === 'number') return String(part);
  if ('quoted' in part) return quotes ? part.quoted : (part.plain ?? '');
  if ('count' in part) return String(part.count);
  return part.map((inner) => joined(inner, quotes)).join('');
}

/**
 * ` {"path":"a.ts"}`: arguments, to follow the tool's name; empty if there are none.
 *
 * @param others arguments of calls that are shown beside it
 */
export function quotedArguments(canonical: string, others?: readonly string[]): Quotation {
  return { quoted: canonical === '{}' ? '' : ` ${clipText(canonical, QUOTED_UNITS, others)}` };
}

/** `: “No such file”`: the head of a call's result; empty if the result says nothing. */
export function quotedResult(call: PastCall | undefined, agents: AgentKnowledge): Quotation {
  const head = headOf(call, agents);
  return { quoted: head === '' ? '' : `: ${quote(head, QUOTED_UNITS)}` };
}

/** `read_file {"path":"a.ts"} and grep {"q":"b"}`: the calls of a step. */
export function quotedStep(callStep: CallStep): Part {
  return quotedSteps([callStep]);
}

/** The steps of a cycle, in sequence. */
export function quotedSteps(rounds: readonly CallStep[]): Part {
  const others = argumentsIn(rounds);
  return rounds
    .flatMap(({ calls }): Part[] => {
      const shown = calls
        .slice(0, QUOTED_CALLS)
        .flatMap(({ identity: { name, arguments: own } }): Part[] => [
          ' and ',
          name,
          quotedArguments(own, others),
        ]);
      const more = calls.length - QUOTED_CALLS;
      return [' → ', shown.slice(1), more > 0 ? ` and ${String(more)} more` : ''];
    })
    .slice(1);
}

/** For a model: the calls of these steps, each with its result. */
export function callsWithResults(rounds: readonly CallStep[], agents: AgentKnowledge): string[] {
  const others = argumentsIn(rounds);
  return rounds
    .flatMap(({ calls }) => calls)
    .map((call) => {
      const { quoted } = quotedResult(call, agents);
      return `- ${call.identity.name}${quotedArguments(call.identity.arguments, others).quoted}${quoted}`;
    });
}

function argumentsIn(rounds: readonly CallStep[]): string[] {
  return rounds.flatMap(({ calls }) => calls.map(({ identity }) => identity.arguments));
}

function headOf(call: PastCall | undefined, agents: AgentKnowledge): string {
  const shown = outOfEnvelope(agents.withoutNoise(call?.result?.shown ?? '').trim());
  const message = unframed(shown);
  // Framing that contains no letters, such as brackets and quotes, stays part of the shown text.
  return /[a-z]/i.test(shown.slice(0, shown.length - message.length)) ? message : shown;
}

/** The output of a command or the text of a file, without the object in which an agent's hook reports it. */
function outOfEnvelope(shown: string): string {
  if (!ENVELOPE.test(shown)) return shown;
  const said = SAID.map((pattern) => pattern.exec(shown)?.[1] ?? '').find((text) => text !== '') ?? '';
  // The shown text may end within an escape sequence.
  return said
    .replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')
    .replace(/\\(?:u([0-9a-f]{4})|(.))/gi, unescaped)
    .trim();
}

const ENVELOPE = /^\{.*"(?:stdout|stderr)":"|^\{"file":\{"content":"/s;
/** Where its words are, the telling ones first. */
const SAID = ['stderr', 'stdout', 'content'].map((key) => new RegExp(`"${key}":"((?:[^"\\\\]|\\\\.)*)`, 's'));

function unescaped(_: string, code: string | undefined, letter: string | undefined): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return letter !== undefined && 'nrt'.includes(letter) ? ' ' : (letter ?? '');
}

/** Number of calls that an evidence shows: the first and the latest. */
export const SHOWN_CALLS = 8;

/** The calls or steps that an evidence shows. */
export function firstAndLatest<T>(calls: readonly T[], most = SHOWN_CALLS): readonly T[] {
  return calls.length <= most ? calls : [...calls.slice(0, 1), ...calls.slice(1 - most)];
}

/** A call as an evidence shows it. @param step number of its step in the loop, from 1 */
export function shownCall(
  { eventIndex, eventId, time }: Mark,
  name: string,
  args: string,
  step: number,
): EvidenceCall {
  return { eventIndex, eventId, time, name, arguments: args, step };
}

/** Number of calls per step that the evidence shows, the first ones. */
const SHOWN_MEMBERS = 6;
/** Total calls shown if steps have several, taken from the first and the latest steps. */
const SHOWN_OF_BATCHES = 12;

/** The fields about steps in the evidence of every detector over calls. */
export type RoundEvidence = Pick<EvidenceOf<'outage'>, 'calls' | 'callsPerStep'>;

/**
 * The calls of the steps with their results, as evidence: complete steps, the first and the latest.
 *
 * @param total steps of the loop, including those no longer remembered
 */
export function roundEvidence(rounds: readonly CallStep[], total: number): RoundEvidence {
  const callsPerStep = rounds.at(-1)?.calls.length ?? 0;
  const widest = Math.min(SHOWN_MEMBERS, Math.max(1, ...rounds.map(({ calls }) => calls.length)));
  const most = widest === 1 ? SHOWN_CALLS : Math.max(2, Math.floor(SHOWN_OF_BATCHES / widest));
  const numbered = rounds.map((callStep, i) => ({
    callStep,
    step: Math.max(0, total - rounds.length) + i + 1,
  }));
  const calls = firstAndLatest(numbered, most).flatMap(({ callStep, step }) =>
    callStep.calls.slice(0, SHOWN_MEMBERS).map(({ identity, mark, result }, i) => ({
      ...shownCall(mark, identity.name, identity.arguments, step),
      ...(callStep.calls.length > 1 && { member: i + 1 }),
      ...(result !== null && { result: { text: result.shown, kind: result.kind } }),
    })),
  );
  return { calls, ...(callsPerStep > 1 && { callsPerStep }) };
}

/** The tool that a verdict names: that of the step's first call. */
export function toolOf({ calls }: CallStep): { name: string; signature: string } | null {
  const identity = calls[0]?.identity;
  return identity === undefined ? null : { name: identity.name, signature: signature(identity) };
}

/** `read_file`, or `read_file and grep` if a step has several. */
export function namesOf({ calls }: CallStep): string {
  const names = [...new Set(calls.map(({ identity }) => identity.name))];
  if (names.length <= 2) return names.join(' and ');
  return `${names.slice(0, 2).join(', ')} and ${String(names.length - 2)} more`;
}
