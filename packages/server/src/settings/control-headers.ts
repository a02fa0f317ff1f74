import { settingsByHeader, settingsVersionHeader } from '@loopwatch/contract';
import type { RecordHeaders } from '@loopwatch/log';

export function controlHeaders(version: number, by: string): RecordHeaders {
  return { [settingsVersionHeader]: Buffer.from(String(version)), [settingsByHeader]: Buffer.from(by) };
}

/** Version and author of a settings record; absent if another program wrote it. */
export function readControlHeaders(headers: RecordHeaders): {
  readonly version: number | undefined;
  readonly by: string | undefined;
} {
  const version = Number(textOf(headers[settingsVersionHeader]));
  return {
    version: Number.isSafeInteger(version) ? version : undefined,
    by: textOf(headers[settingsByHeader]),
  };
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString();
}
