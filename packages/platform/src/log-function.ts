export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Writes one log line; `fields` are bounded and never hold a record's contents. */
export type LogFunction = (
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;
