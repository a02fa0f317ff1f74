/** A session that was erased. */
export interface ErasedSession {
  readonly id: string;
  /** When it was erased, epoch ms: what came later belongs to a new session. */
  readonly at: number;
}
