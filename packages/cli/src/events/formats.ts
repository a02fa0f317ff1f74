import { InvalidArgumentError } from 'commander';

/** Formats of recorded events that can be read. */
export const formats = ['canonical'] as const;
export type Format = (typeof formats)[number];

/** The value of `--format`. */
export function parseFormat(text: string): Format {
  const format = formats.find((known) => known === text);
  if (format === undefined) throw new InvalidArgumentError(`Known formats: ${formats.join(', ')}.`);
  return format;
}
