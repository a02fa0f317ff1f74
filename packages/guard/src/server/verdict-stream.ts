import { backoff } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import { startTimer } from './background-timer.ts';
import { openEventSource } from './event-source.ts';

const MAX_PAUSE_MS = 30_000;

export interface StreamListener {
  readonly onVerdict: (verdict: PureVerdict) => void;
  readonly onStop: (stopped: boolean) => void;
  /** @param dismissed ids of all open incidents marked as false positives or muted */
  readonly onTriage: (dismissed: readonly string[]) => void;
}

/** Follows the verdicts of a session, and resumes after the last one when it reconnects. */
export class VerdictStream {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #listener: StreamListener;
  #disconnect: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId: string | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(url: string, headers: Readonly<Record<string, string>>, listener: StreamListener) {
    this.#url = url;
    this.#headers = headers;
    this.#listener = listener;
    this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#disconnect?.();
  }

  #connect(): void {
    const headers = {
      ...this.#headers,
      accept: 'text/event-stream',
      ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
    };
    let rest = '';
    const onData = (piece: string): void => {
      this.#failures = 0;
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#handle(block);
    };
    try {
      this.#disconnect = openEventSource(this.#url, headers, { onData, onClose: () => this.#reconnect() });
    } catch {
      // The URL is invalid. The guard works without its server.
      this.#reconnect();
    }
  }

  #reconnect(): void {
    if (this.#isClosed) return;
    this.#failures += 1;
    this.#timer = startTimer(() => this.#connect(), backoff(this.#failures, 250, MAX_PAUSE_MS));
  }

  #handle(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)];
      }),
    );
    const data = fields.get('data');
    if (data === undefined) return;
    try {
      const value: unknown = JSON.parse(data);
      if (fields.get('event') === 'stop') this.#listener.onStop((value as { stopped: boolean }).stopped);
      if (fields.get('event') === 'triage')
        this.#listener.onTriage((value as { dismissed: readonly string[] }).dismissed);
      if (fields.get('event') === 'verdict') this.#listener.onVerdict(value as PureVerdict);
    } catch {
      // Invalid JSON is not from a compatible server.
    }
    this.#lastId = fields.get('id') ?? this.#lastId;
  }
}
