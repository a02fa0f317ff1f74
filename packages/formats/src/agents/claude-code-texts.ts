/** Output of a slash command, which does not go through the model. */
const outputOfCommand =
  /^<(?:local-command-stdout|local-command-stderr|local-command-caveat|bash-stdout|bash-stderr)>/;
/** What Claude Code writes when the user stops it. */
const interruption = /^\[Request interrupted by user[^\]]*\]$/;
/** What a hook answers to an agent that has finished. Other meta records, such as skills, belong to a prompt. */
const hookFeedback = /^(?:\w+ )?hook feedback:|^Operation stopped by hook\b/i;
/** A command of the user's that runs again at a time that was set. */
const scheduledCommand = /^\/[a-z][\w:-]*(?:\s|$)/;

/**
 * Why a text with the user's role is not a prompt; undefined if it is one.
 *
 * @param isMeta whether the record is marked as written by the program
 */
export function notPrompt(text: string, isMeta: boolean): string | undefined {
  if (isMeta && !hookFeedback.test(text) && !scheduledCommand.test(text)) return 'meta';
  if (outputOfCommand.test(text)) return 'output of a command';
  return interruption.test(text) ? 'interruption' : undefined;
}
