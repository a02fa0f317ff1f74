import type { AgentEvent } from '@loopwatch/contract';
import { sessionPath } from '@loopwatch/contract/internal';
import type { GuardStats, ServerAddress } from '../guard.ts';
import { Reporter } from './reporter.ts';
import { type StreamListener, VerdictStream } from './verdict-stream.ts';

/** The server connection of a guard and its sub-agents: one queue of events, and a verdict stream per session. */
export class ServerLink {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #reporter: Reporter;

  /** @throws TypeError if the address is none */
  constructor({ url, token }: ServerAddress, stats: GuardStats) {
    if (!/^https?:/.test(url) || !URL.canParse(url))
      throw new TypeError(`server.url is ${JSON.stringify(url)}; allowed: http://HOST:PORT`);
    this.#url = `${url.replace(/\/$/, '')}/api/v1`;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#reporter = new Reporter(`${this.#url}/events`, this.#headers, stats);
  }

  report(sessionId: string, event: AgentEvent): void {
    this.#reporter.add(JSON.stringify({ ...event, sessionId }));
  }

  /** Subscribes to the verdicts of a session. @returns a function that unsubscribes */
  follow(sessionId: string, listener: StreamListener): () => void {
    const path = `${sessionPath(sessionId)}/verdicts/stream`;
    const stream = new VerdictStream(this.#url + path, this.#headers, listener);
    return () => stream.close();
  }

  close(): Promise<void> {
    return this.#reporter.close();
  }
}
