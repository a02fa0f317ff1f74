import { backoff } from '@loopwatch/contract';
import { delay } from '@loopwatch/platform';
import pg from 'pg';

export interface NoticeOptions extends pg.ClientConfig {
  readonly channel: string;
  readonly onNotice: (payload: string) => void;
  readonly onTrouble: (message: string, error: unknown) => void;
}

const MAX_PAUSE_MS = 5_000;

/** Listens on a dedicated connection and reconnects whenever it breaks. */
export async function listenForNotices({
  channel,
  onNotice,
  onTrouble,
  ...config
}: NoticeOptions): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  let client: pg.Client | undefined;

  const connect = async (onEnd: () => void): Promise<void> => {
    const next = new pg.Client(config);
    next.on('notification', ({ payload }) => {
      onNotice(payload ?? '');
    });
    next.on('error', (error) => {
      onTrouble('the database connection for notifications was lost', error);
    });
    next.once('end', onEnd);
    try {
      await next.connect();
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      next.off('end', onEnd);
      await next.end().catch(() => undefined);
      throw error;
    }
    client = next;
  };
  const isStopped = (): boolean => stopping.signal.aborted;
  const reconnect = async (): Promise<void> => {
    client = undefined;
    for (let attempt = 0; ; attempt += 1) {
      await delay(backoff(attempt, 100, MAX_PAUSE_MS), stopping.signal);
      if (isStopped()) return;
      try {
        await connect(() => void reconnect());
        // Notifications sent in between are lost.
        onNotice('');
        return;
      } catch (error) {
        onTrouble('cannot listen for database notifications; retrying', error);
      }
    }
  };
  await connect(() => void reconnect());
  return async () => {
    stopping.abort();
    await client?.end();
  };
}
