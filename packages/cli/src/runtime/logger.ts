import type { Settings } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { escapedJson } from './output.ts';

/** Maximum size of the lines that wait for a full disk; later ones are dropped. */
const UNWRITTEN_BYTES = 256 * 1024;

/** Each tool call loop is logged as two lines that scripts look for; a terminal shows only the first. */
const secondLine = /^Tool call loop detection: /;

/** A terminal shows only the opening of an incident; the dashboard shows the rest. */
function logOpenedOnly(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [fields] = args as readonly unknown[];
  const phase = typeof fields === 'object' && fields !== null && 'phase' in fields ? fields.phase : 'opened';
  const message = args.find((arg) => typeof arg === 'string');
  if (phase === 'opened' && (message === undefined || !secondLine.test(message))) method.apply(this, args);
}

/** A line of JSON whose texts have blanks instead of what controls a terminal, on which they will be shown. */
function withoutControls(line: string): string {
  return escapedJson(line).replace(/\\(?:u(?:00[01789][\da-f]|20[26][\da-f])|.)/g, (escape) =>
    /[bfru]/.test(escape.charAt(1)) ? ' ' : escape,
  );
}

/** Whether people read the log: on a terminal, unless the settings say JSON. */
export function isReadable({ format }: Settings['log']): boolean {
  return format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
}

/** Logs to stdout: readable lines on a terminal, otherwise JSON lines. @param fields further fields of each line */
export function createLogger(settings: Settings['log'], name: string, fields?: () => object): Logger {
  const { level } = settings;
  const options = {
    ...(fields && { mixin: fields }),
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { name },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Errors quote what agents and services sent.
  if (!isReadable(settings)) return pino({ ...options, hooks: { streamWrite: escapedJson } }, jsonOutput());
  return pino(
    {
      ...options,
      hooks: { streamWrite: withoutControls, ...(level !== 'debug' && { logMethod: logOpenedOnly }) },
    },
    pretty({
      translateTime: 'SYS:HH:MM:ss',
      messageFormat: '{if worker}worker {worker}: {end}{msg}{if error}: {error}{end}',
      ignore: 'name,worker,error',
      // The messages are complete sentences, and the JSON format shows the fields. Errors keep their stack.
      hideObject: true,
      sync: true,
    }),
  );
}

/**
 * Stdout, for JSON lines. When it cannot be written, as on a full disk, the process goes on without its log: the latest lines wait
 * in memory until there is space again. Otherwise pino would end the process, and hang in the attempt to write the rest first.
 */
function jsonOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: false, maxLength: UNWRITTEN_BYTES });
  const flush = output.flushSync.bind(output);
  let isFull = false;
  output.on('error', () => {
    isFull = true;
  });
  output.on('write', () => {
    isFull = false;
  });
  output.flushSync = () => {
    if (!isFull) flush();
  };
  return output;
}

export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/** Adapts a logger to the log function that other packages accept. */
export function logFunction(logger: Logger): LogFunction {
  return (level, message, fields) => {
    logger[level](fields, message);
  };
}
