import { controlSchema, type DetectionSettings, readJson } from '@loopwatch/contract';
import { leftOutText, oneLine } from '@loopwatch/detectors';
import type { Logger } from 'pino';
import { readControlHeaders } from '../settings/control-headers.ts';
import { settingsOf, storeSettings } from '../settings/stored-settings.ts';
import type { StoreRecords } from './topic-feed.ts';

/**
 * The `control` topic: settings that were made here, at another server, or written by another program.
 *
 * @param base the configured settings, where no worker of this process tells of those that cannot be taken
 */
export function controlRecords(logger: Logger, base: DetectionSettings | undefined): StoreRecords {
  return async (tx, records, place) => {
    for (const record of records) {
      const { key, text, offset, timestamp, headers } = record;
      const scope = key?.toString() ?? '';
      const control = text === null ? undefined : readJson(text, controlSchema);
      const why = control?.ok === false ? control.why : undefined;
      const wrongScope = control?.ok === true && control.value.scope !== scope;
      if (scope === '' || why !== undefined || wrongScope) {
        const detail = why ?? 'its key is not its scope';
        logger.warn({ ...place, offset, detail }, 'a record of the control topic holds no settings');
        continue;
      }
      const set = control?.ok === true ? control.value.set : {};
      const isWide = !scope.startsWith('session:');
      const leftOut = base !== undefined && isWide ? leftOutText(base, scope, set) : undefined;
      if (leftOut !== undefined) logger.warn({ ...place, offset, scope }, oneLine(leftOut));
      const made = readControlHeaders(headers);
      await storeSettings(tx, {
        scope,
        set,
        version: made.version ?? (await settingsOf(tx, scope)).version + 1,
        updatedAt: timestamp,
        updatedBy: made.by ?? 'the control topic',
      });
    }
    return () => undefined;
  };
}
