import {
  controlSchema,
  type DetectionSettings,
  erasedHeader,
  readJson,
  storableJson,
  storableText,
} from '@loopwatch/contract';
import { leftOutText, oneLine } from '@loopwatch/detectors/internal';
import type { Logger } from 'pino';
import { readControlHeaders } from '../settings/control-headers.ts';
import { settingsOf, storeSettings } from '../settings/stored-settings.ts';
import type { StoreRecords } from './topic-feed.ts';

/**
 * The `control` topic: settings changed by this server, by another one, or written by another program.
 *
 * @param base the configured settings, when no worker of this process logs settings that are rejected
 * @param onStored called when settings are in the database
 */
export function controlRecords(
  logger: Logger,
  base: DetectionSettings | undefined,
  onStored: () => void,
): StoreRecords {
  return async (tx, records, topicPartition, setAside) => {
    for (const record of records) {
      const { key, text, offset, timestamp, headers } = record;
      if (text === null && key === null) continue;
      const scope = storableText(key?.toString() ?? '');
      if (text === null && erasedHeader in headers) {
        await tx.query('delete from settings where scope = $1', [scope]);
        continue;
      }
      const control = text === null ? undefined : readJson(storableJson(text), controlSchema);
      const why = control?.ok === false ? control.why : undefined;
      const wrongScope = control?.ok === true && control.value.scope !== scope;
      if (scope === '' || why !== undefined || wrongScope) {
        setAside(record, why ?? 'the key differs from the scope');
        continue;
      }
      const set = control?.ok === true ? control.value.set : {};
      const isShared = !scope.startsWith('session:');
      const leftOut = base !== undefined && isShared ? leftOutText(base, scope, set) : undefined;
      if (leftOut !== undefined) logger.warn({ ...topicPartition, offset, scope }, oneLine(leftOut));
      const change = readControlHeaders(headers);
      await storeSettings(tx, {
        scope,
        set,
        version: change.version ?? (await settingsOf(tx, scope)).version + 1,
        updatedAt: timestamp,
        updatedBy: change.by ?? 'the control topic',
      });
    }
    return onStored;
  };
}
