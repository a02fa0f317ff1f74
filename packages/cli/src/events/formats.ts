import { formatNames } from '@loopwatch/formats';
import { InvalidArgumentError } from 'commander';

/** The help of `--format`. */
export const formatHelp = `format of the events: auto (by record, then by file), ${formatNames.join(', ')}`;

/** The value of `--format`. */
export function parseFormat(text: string): string {
  if (text !== 'auto' && !formatNames.includes(text))
    throw new InvalidArgumentError(`Known formats: auto, ${formatNames.join(', ')}.`);
  return text;
}
