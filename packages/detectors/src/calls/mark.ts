/**
 * A point in a session: its position, its time, and the session's usage so far. The difference between two marks is
 * the cost of what happened between them.
 */
export interface Mark {
  readonly eventIndex: number;
  readonly eventId: string;
  /** Event time, epoch ms. */
  readonly time: number;
  /** The caller's position of the event (an offset in a log); -1 if it gave none. */
  readonly position: number;
  readonly turns: number;
  readonly calls: number;
  /** UTF-16 code units of answer and reasoning before this event. */
  readonly characters: number;
  /** Tokens reported before this event, and the number of reports. */
  readonly tokens: number;
  readonly usageReports: number;
  /** The part of the tokens that came from the cache. */
  readonly cachedTokens: number;
  /** US dollars of the turns with a known price, and the number of usage reports without one. */
  readonly usd: number;
  readonly unpricedReports: number;
}
