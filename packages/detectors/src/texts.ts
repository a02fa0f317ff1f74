import type { DetectorId, Verdict, VerdictOutcome } from '@loopwatch/contract';
import type { DetectionPlan, ToolRepeatOptions } from './plan.ts';
import type { RepetitionRule } from './repetition-kind.ts';

/** The sentences that people and models read. Custom texts replace them where the settings have some. */

/** `within 120 seconds`, or `in a row` where age does not matter. */
export function windowPhrase(ttlMs: number | null): string {
  return ttlMs === null ? 'in a row' : `within ${formatSeconds(ttlMs)} seconds`;
}

export function formatSeconds(ms: number): string {
  return String(Math.round(ms / 100) / 10);
}

/** Why a detector closes what is open, as the end of a sentence. */
export function closingReason(outcome: VerdictOutcome): string {
  if (outcome === 'disabled') return 'detection was switched off';
  return outcome === 'recovered' ? 'the turn is streamed again' : 'the prompt or session ended';
}

/** What a user is told when a call is stopped. */
export function blockMessage(tool: string, count: number, options: ToolRepeatOptions): string {
  if (options.blockText !== null) return options.blockText;
  const alike = options.similarity === null ? 'identical' : 'similar';
  const window = options.ttlMs === null ? 'in a row' : `within ${formatSeconds(options.ttlMs)}s`;
  return (
    `Tool call loop detected: '${tool}' invoked with ${alike} params ${String(count)} times ${window}. ` +
    'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.'
  );
}

/** What a verdict's kind is called. */
export const nouns: Readonly<Record<Verdict['kind'], string>> = {
  loop: 'Loop',
  limit: 'Limit',
  outage: 'Outage',
};
const ofCalls: ReadonlySet<DetectorId> = new Set(['tool-repeat', 'tool-cycle', 'stagnation']);

/**
 * What a user is told when a session is stopped for whatever was found in it. A custom text stands for all loops of calls.
 *
 * @param tool the call's own name, where a call is stopped; that of the verdict may be shortened
 */
export function stopMessage(
  verdict: Pick<Verdict, 'detector' | 'kind' | 'count' | 'reason' | 'tool'>,
  plan: DetectionPlan,
  tool: string | undefined = verdict.tool?.name,
): string {
  const options = (tool === undefined ? undefined : plan.perTool.get(tool)) ?? plan.tool;
  if (verdict.detector === 'tool-repeat' && tool !== undefined)
    return blockMessage(tool, verdict.count, options);
  if (ofCalls.has(verdict.detector) && options.blockText !== null) return options.blockText;
  const reason = verdict.reason.replace(/(?<![.\s])[.\s]+$/, '');
  return (
    `${nouns[verdict.kind]} detected: ${reason}. ` +
    'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.'
  );
}

/** A reason, standing by itself. */
export function asSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** What a model is told in a chance, where a verdict says nothing of its own. */
export function plainGuidance(verdict: Pick<Verdict, 'reason'>): string {
  return [
    `${verdict.reason.replace(/(?<![.\s])[.\s]+$/, '')}.`,
    'Stop and think before the next step: if this failed, or brought nothing new, take another way.',
    'Call a tool only if the next step strictly needs one; otherwise explain in words what you will do next.',
  ].join('\n');
}

/**
 * What a model is told when it gets one more chance, or when its call is blocked.
 *
 * @param result `: “No such file”`, the head of what the calls brought; empty where that is not known
 */
export function toolGuidance(
  tool: string,
  args: string,
  count: number,
  options: ToolRepeatOptions,
  result = '',
): string {
  if (options.warningText !== null) return options.warningText;
  const alike = options.similarity === null ? 'the same' : 'nearly the same';
  return [
    `You have called ${tool} ${String(count)} times ${windowPhrase(options.ttlMs)} with ${alike} parameters.`,
    'Stop and think before the next call:',
    '- Check that this is the right tool and that its name and every parameter are correct.',
    '- If it failed, or brought nothing new, change the parameters or take another way.',
    '- Call a tool only if the next step strictly needs one; otherwise go on in words.',
    `The call you attempted: ${tool} with arguments ${args}.`,
    ...(result === '' ? [] : [`What came back each time${result}`]),
    'Answer either with one corrected tool call, or with an explanation in words of what you will do next.',
  ].join('\n');
}

/** The same of a step of several calls. @param calls each with its arguments and what it brought, a line each */
export function batchGuidance(calls: readonly string[], count: number, options: ToolRepeatOptions): string {
  if (options.warningText !== null) return options.warningText;
  return [
    `You have made the same step of ${String(calls.length)} calls ${String(count)} times ${windowPhrase(options.ttlMs)}:`,
    ...calls,
    'Stop and think before the next step:',
    '- Check that these are the right tools and that every parameter is correct.',
    '- If they failed, or brought nothing new, change the parameters or take another way.',
    'Answer either with corrected calls, or with an explanation in words of what you will do next.',
  ].join('\n');
}

/** What a model is told when its text goes round in circles. */
export function textGuidance(repeated: string, count: number): string {
  return [
    `Your last answer repeated the same text ${String(count)} times: “${repeated.trim()}”`,
    'Stop repeating it. Say what is still missing, or end the answer if nothing is.',
  ].join('\n');
}

/** What a person is told about a text that repeats. @param repeated `null`: the text is not to be told */
export function repetitionReason(
  rule: RepetitionRule | null,
  repeated: string | null,
  distance: number,
  noun: string,
): string {
  const what = repeated === null ? 'A text' : repeated.trim() === '' ? 'White space' : quote(repeated);
  const every = `every ${String(distance)} characters of the ${noun}`;
  switch (rule) {
    case null:
      return `${what} repeats every ${String(distance)} characters in the ${noun}`;
    case 'counter':
      return `${what} comes ${every}, and only its numbers change`;
    case 'lines':
      return `${what} comes ${every}, in a list, a table or code without anything new`;
    case 'run':
      return `${what} fills the ${noun} without a break`;
    case 'block':
      return repeated === null ? `A passage comes ${every}` : `The passage ${what} comes ${every}`;
    case 'text':
      return `${what} comes ${every}, with little new in between`;
    case 'pattern':
      return `${what} and its like come ${every}, and only single words change`;
    case 'novelty':
      return `${what} and other passages of the ${noun} come again and again, with little new in between`;
  }
}

/** What of a text repeats, as a person would quote it; `period` units from the end is where it came before. */
export function repeatedText(rule: RepetitionRule | null, text: string, period: number): string {
  // A sentence of a pattern is whole; what comes round otherwise may begin anywhere.
  if (rule === 'pattern') return text.slice(-period).trim();
  return (rule === 'novelty' ? commonSentence(text) : undefined) ?? readablePeriod(text, period);
}

/**
 * The sentence of a text that comes most often, by the units that it takes, whatever numbers stand in it.
 *
 * @returns its last occurrence, or nothing where none comes twice
 */
function commonSentence(text: string): string | undefined {
  const taken = new Map<string, { units: number; latest: string }>();
  // The first and the last may be cut off.
  for (const sentence of text.split(/(?<=[.!?…\n])\s+/).slice(1, -1)) {
    const form = sentence.replace(/\d+/g, '0');
    taken.set(form, { units: (taken.get(form)?.units ?? -form.length) + form.length, latest: sentence });
  }
  const [most] = [...taken.values()].toSorted((a, b) => b.units - a.units);
  return most !== undefined && most.units > 0 ? most.latest : undefined;
}

/** A text on one line, short enough for a sentence. */
export function quote(text: string, maxUnits = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxUnits ? `“${line}”` : `“${line.slice(0, maxUnits - 1)}…”`;
}

/**
 * One period of a text that repeats, turned so that it reads well: from the beginning of a sentence, or else of a word.
 *
 * @param text ends with the repetition; at least two periods of it
 */
function readablePeriod(text: string, period: number): string {
  const twice = text.slice(-2 * period);
  if (twice.length < 2 * period) return twice.slice(-period);
  // eslint-disable-next-line regexp/no-super-linear-move -- two periods are short
  const starts = [/[.!?\n][\s"”)]*(?=\S)/g, /(?<!\s)\s+(?=\S)/g];
  for (const pattern of starts) {
    pattern.lastIndex = 0;
    const found = pattern.exec(twice);
    const start = found === null ? period : found.index + found[0].length;
    if (start < period) return twice.slice(start, start + period);
  }
  return twice.slice(-period);
}
