import type { RecordHeaders } from '@loopwatch/log';

/** Headers of a record of the `control` topic that the server wrote: its value alone says nothing of who and when. */
const names = { version: 'loopwatch-version', by: 'loopwatch-by' } as const;

export function controlHeaders(version: number, by: string): RecordHeaders {
  return { [names.version]: Buffer.from(String(version)), [names.by]: Buffer.from(by) };
}

/** Undefined where others wrote the record. */
export function readControlHeaders(headers: RecordHeaders): { version: number; by: string } | undefined {
  const version = headers[names.version];
  const by = headers[names.by];
  if (version === undefined || by === undefined) return undefined;
  const number = Number(Buffer.from(version).toString());
  return Number.isSafeInteger(number) ? { version: number, by: Buffer.from(by).toString() } : undefined;
}
