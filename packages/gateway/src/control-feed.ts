import { messageOf, settingsFromHeader } from '@loopwatch/contract';
import { type LogRecord, type TopicReader } from '@loopwatch/log';
import type { WideSettings } from '@loopwatch/pipeline';
import { atMost, backoff, delay } from '@loopwatch/platform';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** How long a start waits for the settings that were made before. */
const START_MS = 5_000;

export interface ControlFeedOptions {
  /** A new reader of the `control` topic: one that could not start is of no more use. */
  readonly reader: () => TopicReader;
  readonly settings: WideSettings;
  /** This gateway: it goes by its own records already. */
  readonly me: string;
  readonly logger: Logger;
}

/** Follows the settings that are made elsewhere: in the dashboard, by other gateways. */
export class ControlFeed {
  private readonly options: ControlFeedOptions;
  private readonly stopping = new AbortController();
  private reader: TopicReader | undefined;
  private running: Promise<void> | undefined;
  private state: 'reading' | 'up' | 'down' = 'reading';

  constructor(options: ControlFeedOptions) {
    this.options = options;
  }

  get health(): { readonly ok: boolean; readonly detail: string } {
    const { state } = this;
    if (state === 'up') return { ok: true, detail: 'settings of the dashboard are followed' };
    const what = state === 'reading' ? 'has not been read yet' : 'cannot be read';
    return { ok: false, detail: `the control topic ${what}; the latest settings known hold meanwhile` };
  }

  /** Resolves when all settings are known, or cannot be had for the moment. */
  async start(): Promise<void> {
    const attempted = new Promise<void>((resolve) => {
      this.running = this.run(resolve);
    });
    await atMost(attempted, START_MS);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.reader?.stop();
    await this.running;
  }

  /** @param onAttempt told when the settings are known, or could not be had */
  private async run(onAttempt: () => void): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !this.isStopped(); failures += 1) {
      const reader = this.options.reader();
      this.reader = reader;
      try {
        await reader.run(
          ({ records }) => {
            this.options.settings.take(records.filter((record) => !this.isOwn(record)));
          },
          {
            onConnection: (state) => {
              this.state = state;
            },
          },
        );
        this.state = 'up';
        onAttempt();
        return;
      } catch (error) {
        onAttempt();
        if (this.isStopped()) return;
        this.noteDown(error);
        await reader.stop().catch(() => undefined);
        await delay(backoff(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), signal);
      }
    }
  }

  /** Asked again after each wait. */
  private isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private noteDown(error: unknown): void {
    if (this.state !== 'down')
      this.options.logger.warn(
        { error: messageOf(error) },
        'Settings of the dashboard cannot be read; it is tried again until they can',
      );
    this.state = 'down';
  }

  private isOwn({ headers }: LogRecord): boolean {
    const from = headers[settingsFromHeader];
    return from !== undefined && Buffer.from(from).toString() === this.options.me;
  }
}
