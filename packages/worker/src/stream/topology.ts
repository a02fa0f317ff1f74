import { concatMap, EMPTY, map, merge, mergeMap, type Observable, type ObservableInput } from 'rxjs';

/** What leads to commits. */
export interface Streams<Batch, Work> {
  /** Batches of records, in the order of the log. */
  readonly batches: Observable<Batch>;
  /** Late answers of the judge; their events were processed long before. */
  readonly answers?: Observable<Work>;
  /** Summaries of active sessions, whose partition may receive no further records for a long time. */
  readonly ticks?: Observable<Work>;
}

/** What happens on the way. */
export interface Stages<Batch, Work, Commit> {
  /** Emits what a batch leads to. */
  readonly process: (batch: Batch) => ObservableInput<Work>;
  /** Adds the position and the state that belong to it, before anything else can change them. */
  readonly toCommit: (work: Work) => Commit;
  /** Commits, and counts and logs what is durable then, even if the stream has ended meanwhile. */
  readonly commit: (commit: Commit) => Promise<void>;
}

/**
 * The whole way of a partition, from its records to the log. A batch begins when the one before it is processed. Whatever
 * throws on the way errors the stream: nothing of that batch is committed, and nothing after it.
 */
export function topology<Batch, Work, Commit>(
  { batches, answers = EMPTY, ticks = EMPTY }: Streams<Batch, Work>,
  { process, toCommit, commit }: Stages<Batch, Work, Commit>,
): Observable<void> {
  return merge(batches.pipe(concatMap(process)), answers, ticks).pipe(
    map(toCommit),
    // Not concatMap: the log's queue keeps the order, and merges the commits that wait.
    mergeMap(commit),
  );
}
