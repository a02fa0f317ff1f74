import { backoff, delay } from '@loopwatch/platform';
import pg from 'pg';

export interface NoticeOptions extends pg.ClientConfig {
  readonly channel: string;
  readonly onNotice: (payload: string) => void;
  readonly onTrouble: (message: string, error: unknown) => void;
}

const mostPauseMs = 5_000;

/** Listens on a connection of its own, which is made again for as long as it takes when it breaks. */
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
      onTrouble('the connection for notifications broke', error);
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
  const again = async (): Promise<void> => {
    client = undefined;
    for (let attempt = 0; ; attempt += 1) {
      await delay(backoff(attempt, 100, mostPauseMs), stopping.signal);
      if (isStopped()) return;
      try {
        await connect(() => void again());
        // What was told meanwhile is lost.
        onNotice('');
        return;
      } catch (error) {
        onTrouble('notifications of the database cannot be listened for', error);
      }
    }
  };
  await connect(() => void again());
  return async () => {
    stopping.abort();
    await client?.end();
  };
}
