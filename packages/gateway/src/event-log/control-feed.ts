import { backoff, erasedKey, messageOf, settingsFromHeader } from '@loopwatch/contract';
import type { LiveSettings } from '@loopwatch/detectors/internal';
import { type LogRecord, type TopicReader } from '@loopwatch/log';
import { atMost, delay } from '@loopwatch/platform';
import type { Logger } from 'pino';
import type { ErasedSession } from '../session/erased-session.ts';

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** How long a start waits for earlier settings. */
const START_MS = 5_000;

export interface ControlFeedOptions {
  /** Creates a reader of the `control` topic; one that failed to start cannot be reused. */
  readonly reader: () => TopicReader;
  readonly settings: LiveSettings;
  /** Records of this gateway are ignored: it has applied them already. */
  readonly gatewayId: string;
  /** Called for sessions that were erased: everything that is kept of them has to go. */
  readonly onErased: (erased: readonly ErasedSession[]) => void;
  readonly logger: Logger;
}

/** Follows settings changed in the dashboard and by other gateways. */
export class ControlFeed {
  readonly #options: ControlFeedOptions;
  readonly #stopping = new AbortController();
  #reader: TopicReader | undefined;
  #running: Promise<void> | undefined;
  #state: 'reading' | 'up' | 'down' = 'reading';

  constructor(options: ControlFeedOptions) {
    this.#options = options;
  }

  get health(): { readonly ok: boolean; readonly detail: string } {
    const state = this.#state;
    if (state === 'up') return { ok: true, detail: 'following the control topic' };
    const problem = state === 'reading' ? 'not read yet' : 'unavailable';
    return { ok: false, detail: `control topic ${problem}; using the latest known settings` };
  }

  /** Resolves once all settings are read, or the topic is unavailable. */
  async start(): Promise<void> {
    const attempted = new Promise<void>((resolve) => {
      this.#running = this.#run(resolve);
    });
    await atMost(attempted, START_MS);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reader?.stop();
    await this.#running;
  }

  /** @param onAttempt called once the settings are read, or reading failed */
  async #run(onAttempt: () => void): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !this.#isStopped(); failures += 1) {
      const reader = this.#options.reader();
      this.#reader = reader;
      try {
        await reader.run(
          ({ records }) => {
            this.#options.settings.apply(records.filter((record) => !this.#isOwn(record)));
            const erased = records.flatMap((record) => erasedSession(record) ?? []);
            if (erased.length > 0) this.#options.onErased(erased);
          },
          {
            onConnection: (state) => {
              this.#state = state;
            },
          },
        );
        this.#state = 'up';
        onAttempt();
        return;
      } catch (error) {
        onAttempt();
        if (this.#isStopped()) return;
        this.#noteDown(error);
        await reader.stop().catch(() => undefined);
        await delay(backoff(failures, MIN_RETRY_MS, MAX_RETRY_MS), signal);
      }
    }
  }

  /** A method, since the compiler would narrow the result across awaits. */
  #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #noteDown(error: unknown): void {
    if (this.#state !== 'down')
      this.#options.logger.warn(
        { error: messageOf(error) },
        'Reading settings from the control topic failed; retrying',
      );
    this.#state = 'down';
  }

  #isOwn({ headers }: LogRecord): boolean {
    const from = headers[settingsFromHeader];
    return from !== undefined && Buffer.from(from).toString() === this.#options.gatewayId;
  }
}

const SESSION = 'session:';

/** The session that a record of the `control` topic erases. */
function erasedSession(record: LogRecord): ErasedSession | undefined {
  const scope = erasedKey(record);
  if (scope?.startsWith(SESSION) !== true) return undefined;
  return { id: scope.slice(SESSION.length), at: record.timestamp };
}
