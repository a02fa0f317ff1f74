/**
 * A point in a session: where and when it is, and what the session had used by then. The difference of two marks is
 * the cost of what happened between them.
 */
export interface Mark {
  readonly eventIndex: number;
  readonly eventId: string;
  /** Event time, epoch ms. */
  readonly time: number;
  /** The caller's own position of the event (an offset in a log); -1 where it gave none. */
  readonly position: number;
  readonly turns: number;
  readonly calls: number;
  /** UTF-16 code units of answer and reasoning before this event. */
  readonly characters: number;
  /** Tokens reported before this event, and how many reports there were. */
  readonly tokens: number;
  readonly usageReports: number;
  /** Those of the tokens that came from the cache. */
  readonly cachedTokens: number;
  /** US dollars of the turns with a price, and how many reports of usage had none. */
  readonly usd: number;
  readonly unpricedReports: number;
}
