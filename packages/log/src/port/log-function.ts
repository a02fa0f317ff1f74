export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Where this package tells what happens; `fields` are bounded and hold no record contents. */
export type LogFunction = (
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;
