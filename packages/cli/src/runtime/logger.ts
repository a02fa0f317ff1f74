import type { Settings } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/log';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

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
    options,
    pretty({
      translateTime: 'SYS:HH:MM:ss',
      messageFormat: '{if worker}worker {worker}: {end}{msg}',
      ignore: 'name,worker,sessionId,incidentId,detector,phase,action,count',
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
