import type { Settings } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import { type LogFn, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** A loop of calls is told in two sentences that scripts look for; on a terminal the first is enough. */
const secondLine = /^Tool call loop detection: /;

/** On a terminal an incident is told once, when it is opened: how it goes on is for the dashboard to show. */
function onceAnIncident(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [fields] = args as readonly unknown[];
  const phase = typeof fields === 'object' && fields !== null && 'phase' in fields ? fields.phase : 'opened';
  const message = args.find((arg) => typeof arg === 'string');
  if (phase === 'opened' && (message === undefined || !secondLine.test(message))) method.apply(this, args);
}

/** Structured logs on the standard output: JSON lines for machines, readable ones on a terminal. */
export function createLogger({ level, format }: Settings['log'], name: string): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { name },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const readable = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  if (!readable) return pino(options);
  return pino(
    { ...options, ...(level !== 'debug' && { hooks: { logMethod: onceAnIncident } }) },
    pretty({
      translateTime: 'SYS:HH:MM:ss',
      messageFormat: '{if worker}worker {worker}: {end}{msg}{if error}: {error}{end}',
      ignore: 'name,worker,error',
      // A person reads sentences; who wants the fields reads JSON. Of an error the stack is shown.
      hideObject: true,
      sync: true,
    }),
  );
}

export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/** The event log's messages in the same place as all others. */
export function logFunction(logger: Logger): LogFunction {
  return (level, message, fields) => {
    logger[level](fields, message);
  };
}
