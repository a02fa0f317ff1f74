import { asksForHelp, type ChatCommand, chatCommands } from '@loopwatch/detectors';

/** How answers to commands begin, so that they are known in the history of later requests. */
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

/** What a user's message asks of the gateway. */
export interface Commands {
  readonly changes: readonly ChatCommand[];
  readonly help: boolean;
}

/** The commands in a text of the user; undefined where there are none. */
export function commandsIn(text: string): Commands | undefined {
  if (!text.includes('!/')) return undefined;
  const changes = chatCommands(text);
  const help = asksForHelp(text);
  return changes.length === 0 && !help ? undefined : { changes, help };
}

/** What the user is told of commands. @param refused why settings were refused, one text each */
export function commandAnswer({ changes, help }: Commands, refused: readonly string[]): string {
  const done = changes.flatMap((change) => ('refused' in change ? [] : [describe(change)]));
  const lines = [
    ...done.filter((line) => line !== ''),
    ...refused.map((why) => `Not changed: ${why}`),
    ...(help ? [helpText] : []),
  ];
  return MARK + lines.join('\n');
}

/** Whether an assistant's message of the history is an answer to commands. */
export function isCommandAnswer(text: string): boolean {
  return text.startsWith(MARK);
}

function describe(change: Extract<ChatCommand, { set: unknown }>): string {
  const set = Object.entries(change.set).map(
    ([path, value]) => `${path} is ${JSON.stringify(value)} in this session`,
  );
  const unset = change.unset.map((path) => `${path} is no longer set in this session`);
  return [...set, ...unset].join('\n');
}
