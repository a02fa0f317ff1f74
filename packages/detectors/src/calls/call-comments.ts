import { hasCommand } from './only-looks.ts';

/** What models write beside a command to say what it is for, in other words each time. */
const BESIDE_COMMANDS = new Set(['description', 'summary', 'explanation', 'justification', 'comment']);
/** What agents have the model write beside any arguments. */
const ANYWHERE = new Set(['task_progress', 'security_risk']);

/**
 * The arguments without those that only comment on the call: the same object where there are none.
 *
 * @param volatile further fields that never make a difference
 */
export function withoutComments(args: object, volatile: readonly string[]): object {
  const runs = hasCommand(args);
  const isComment = (field: string): boolean =>
    ANYWHERE.has(field) || (runs && BESIDE_COMMANDS.has(field)) || volatile.includes(field);
  const fields = Object.keys(args);
  if (!fields.some(isComment)) return args;
  return Object.fromEntries(Object.entries(args).filter(([field]) => !isComment(field)));
}
