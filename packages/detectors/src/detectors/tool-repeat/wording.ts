import type { ToolRepeatOptions } from './options.ts';

/** Texts about repeated calls for people and models. Custom texts in the settings replace them. */

const CALL_ADVICE = [
  'Stop and think before the next call:',
  '- Check that this is the right tool, and that its name and parameters are correct.',
  '- If it failed or returned nothing new, change the arguments or try a different approach.',
  '- Call a tool only if you need one; otherwise continue in text.',
];
const CALL_ANSWER = 'Answer with one corrected tool call, or explain in text what you will do next.';

const UNSEEN = { result: '', navigates: false } as const;

/** What a custom text may name in braces: `{tool}`, `{count}` and `{reason}`. */
export interface LoopFacts {
  readonly tool: string;
  readonly count: number;
  readonly reason: string;
}

/** A custom text with its placeholders replaced; what they stand for is not searched for others. */
export function filledText(text: string, facts: LoopFacts): string {
  return text.replace(/\{(tool|count|reason)\}/g, (_, name: keyof LoopFacts) => String(facts[name]));
}

/** `within 120 seconds`, or `in a row` if calls of any age count. */
export function windowPhrase(ttlMs: number | null): string {
  return ttlMs === null ? 'in a row' : `within ${formatSeconds(ttlMs)} seconds`;
}

export function formatSeconds(ms: number): string {
  return String(Math.round(ms / 100) / 10);
}

/** The message to a user when a call is blocked. */
export function blockMessage({ tool, count, reason }: LoopFacts, options: ToolRepeatOptions): string {
  if (options.blockText !== null) return filledText(options.blockText, { tool, count, reason });
  const alike = options.similarity === null ? 'identical' : 'similar';
  const window = options.ttlMs === null ? 'in a row' : `within ${formatSeconds(options.ttlMs)}s`;
  return (
    `Tool call loop detected: '${tool}' invoked with ${alike} params ${String(count)} times ${window}. ` +
    'Session stopped to prevent unintended looping. Adjust the inputs or try another approach.'
  );
}

/**
 * Guidance for a model that gets one more chance, or whose call is blocked.
 *
 * @param seen `: “No such file”`, the head of the calls' result, empty if unknown; and whether the call moves on in an
 *   interface, where repeating it is often right
 */
export function toolGuidance(
  { tool, count, reason }: LoopFacts,
  args: string,
  options: ToolRepeatOptions,
  { result, navigates }: { readonly result: string; readonly navigates: boolean } = UNSEEN,
): string {
  if (options.warningText !== null) return filledText(options.warningText, { tool, count, reason });
  const alike = options.similarity === null ? 'the same' : 'nearly the same';
  const advice = navigates
    ? [
        'Check what it changed:',
        '- If each call shows something new, say what, and continue.',
        '- If nothing changes, you are at the end or the call has no effect. Try a different approach.',
      ]
    : CALL_ADVICE;
  return [
    `You have called ${tool} ${String(count)} times ${windowPhrase(options.ttlMs)} with ${alike} arguments.`,
    ...advice,
    `The call you attempted: ${tool} with arguments ${args}.`,
    ...(result === '' ? [] : [`Result each time${result}`]),
    ...(navigates ? [] : [CALL_ANSWER]),
  ].join('\n');
}

/** The same for several calls at once. @param calls one line per call, with its arguments and result */
export function batchGuidance(
  { tool, count, reason }: LoopFacts,
  calls: readonly string[],
  options: ToolRepeatOptions,
): string {
  if (options.warningText !== null) return filledText(options.warningText, { tool, count, reason });
  return [
    `You have made the same ${String(calls.length)} calls ${String(count)} times ${windowPhrase(options.ttlMs)}:`,
    ...calls,
    ...CALL_ADVICE,
    'Answer with corrected calls, or explain in text what you will do next.',
  ].join('\n');
}
