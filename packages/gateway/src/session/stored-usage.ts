/** What the replies of one model used. */
export interface ModelUsage {
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** Replies that report their usage. */
  readonly reports: number;
  readonly calls: number;
}

/** What a session has used, as its stored messages say. */
export interface StoredUsage {
  /** Time of the first message, epoch ms. */
  readonly beganAt: number;
  readonly models: readonly ModelUsage[];
}
