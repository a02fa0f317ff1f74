import { asksForHelp, type ChatCommand, chatCommands } from '@loopwatch/detectors/internal';

/** Prefix of replies to commands, by which they are recognized in later requests. */
const MARK = '[Loopwatch] ';

const helpText = [
  'Commands for this session:',
  '!/set(tool-loop-detection=true|false)',
  '!/set(tool-loop-max-repeats=4)',
  '!/set(tool-loop-ttl=120), in seconds',
  '!/set(tool-loop-mode=warn|break|chance_then_break)',
  '!/unset(tool-loop-detection, tool-loop-max-repeats, tool-loop-ttl, tool-loop-mode)',
  '!/help',
].join('\n');

/** The commands in a user message. */
export interface Commands {
  readonly changes: readonly ChatCommand[];
  readonly help: boolean;
}

/** @returns undefined if the text has no commands */
export function commandsIn(text: string): Commands | undefined {
  if (!text.includes('!/')) return undefined;
  const changes = chatCommands(text);
  const help = asksForHelp(text);
  return changes.length === 0 && !help ? undefined : { changes, help };
}

/** The reply to commands. @param refusals reasons for rejected settings */
export function commandReply({ changes, help }: Commands, refusals: readonly string[]): string {
  const done = changes.flatMap((change) => ('refused' in change ? [] : [describe(change)]));
  const lines = [
    ...done.filter((line) => line !== ''),
    ...refusals.map((reason) => `Not changed: ${reason}`),
    ...(help ? [helpText] : []),
  ];
  return MARK + lines.join('\n');
}

/** Whether an assistant message of the history is a reply to commands. */
export function isCommandReply(text: string): boolean {
  return text.startsWith(MARK);
}

function describe(change: Extract<ChatCommand, { set: unknown }>): string {
  const set = Object.entries(change.set).map(
    ([path, value]) => `${path} is ${JSON.stringify(value)} in this session`,
  );
  const unset = change.unset.map((path) => `${path} is no longer set in this session`);
  return [...set, ...unset].join('\n');
}
