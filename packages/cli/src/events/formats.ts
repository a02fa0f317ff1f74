import { type FormatName, formatNames } from '@loopwatch/contract';
import { InvalidArgumentError } from 'commander';

/** The help of `--format`. */
export const formatHelp = `format of the events: auto (by record, then by file), ${formatNames.join(', ')}`;

/** A format's name; `auto` detects the format from the records. */
export type FormatChoice = FormatName | 'auto';

/** The value of `--format`. */
export function parseFormat(text: string): FormatChoice {
  const known: readonly FormatChoice[] = ['auto', ...formatNames];
  const choice = known.find((name) => name === text);
  if (choice === undefined) throw new InvalidArgumentError(`Known formats: ${known.join(', ')}.`);
  return choice;
}
