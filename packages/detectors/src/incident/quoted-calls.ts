import type { AgentKnowledge } from '../agents/agent-knowledge.ts';
import type { PastCall, Round } from '../calls/call-history.ts';
import { unframed } from '../calls/result-frame.ts';
import { quote } from './wording.ts';

/** What a sentence shows of arguments, and of a result. */
const QUOTED_UNITS = 80;
/** Calls of a step that a sentence shows. */
const SHOWN_CALLS = 2;

/** Something that the agent or a tool wrote, as a part of a sentence. */
interface Quotation {
  readonly quoted: string;
  /** What stands for it in the plain form; default: nothing. */
  readonly plain?: string;
}
/** The number that the sentence is about. */
interface Count {
  readonly count: number;
}
type Part = string | number | Quotation | Count | readonly Part[];

/** A sentence of a verdict, and the same without what the agent and its tools wrote. */
export interface Sentence {
  readonly reason: string;
  readonly plainReason: string;
  /** Where each of them says the count; undefined where they say none. */
  readonly countAt: number | undefined;
  readonly plainCountAt: number | undefined;
}

/** Builds a sentence; its plain form leaves out the quotations. */
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

/** The count of a sentence, of which there is one at most. */
export function counted(count: number): Count {
  return { count };
}

/** A sentence that goes on after what it said. */
export function withEnding({ reason, plainReason, ...rest }: Sentence, why: string): Sentence {
  return { reason: `${reason}; ${why}`, plainReason: `${plainReason}; ${why}`, ...rest };
}

function joined(part: Part, quotes: boolean): string {
  if (typeof part === 'string' || typeof part === 'number') return String(part);
  if ('quoted' in part) return quotes ? part.quoted : (part.plain ?? '');
  if ('count' in part) return String(part.count);
  return part.map((inner) => joined(inner, quotes)).join('');
}

/** ` {"path":"a.ts"}`: arguments, to stand behind the tool's name; nothing where there are none. */
export function quotedArguments(canonical: string): Quotation {
  return { quoted: canonical === '{}' ? '' : ` ${shortened(canonical)}` };
}

/** `: “No such file”`: the head of what a call brought; nothing where it says nothing. */
export function quotedResult(call: PastCall | undefined, agents: AgentKnowledge): Quotation {
  const head = headOf(call, agents);
  return { quoted: head === '' ? '' : `: ${quote(head, QUOTED_UNITS)}` };
}

/** `read_file {"path":"a.ts"} and grep {"q":"b"}`: the calls of a step. */
export function quotedStep({ calls }: Round): Part {
  const shown = calls
    .slice(0, SHOWN_CALLS)
    .flatMap(({ identity }): Part[] => [' and ', identity.name, quotedArguments(identity.arguments)]);
  const more = calls.length - SHOWN_CALLS;
  return [shown.slice(1), more > 0 ? ` and ${String(more)} more` : ''];
}

/** The steps of a cycle, one after the other. */
export function quotedSteps(rounds: readonly Round[]): Part {
  return rounds.flatMap((round) => [' → ', quotedStep(round)]).slice(1);
}

/** For a model: the calls of these steps as they were made, and what each brought. */
export function callsWithResults(rounds: readonly Round[], agents: AgentKnowledge): string[] {
  return rounds
    .flatMap(({ calls }) => calls)
    .map((call) => {
      const { quoted } = quotedResult(call, agents);
      return `- ${call.identity.name}${quotedArguments(call.identity.arguments).quoted}${quoted}`;
    });
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= QUOTED_UNITS ? line : `${line.slice(0, QUOTED_UNITS - 1)}…`;
}

function headOf(call: PastCall | undefined, agents: AgentKnowledge): string {
  const shown = agents.withoutNoise(call?.result?.shown ?? '').trim();
  const message = unframed(shown);
  // Brackets and quotes alone belong to what is shown.
  return /[a-z]/i.test(shown.slice(0, shown.length - message.length)) ? message : shown;
}
