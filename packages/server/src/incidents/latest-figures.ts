import {
  isOpenAfter,
  type OpenIncidentSummary,
  type SessionSummary,
  type Verdict,
} from '@loopwatch/contract';

/**
 * Count and cost of an open incident according to its session's latest summary, because they grow between two verdicts.
 */
export interface IncidentFigures extends Omit<OpenIncidentSummary, 'id' | 'latest'> {
  /** Index of the session's latest event in the figures. */
  readonly eventIndex: number;
  /** Event time of that event, epoch ms. */
  readonly lastAt: number;
  /** If the loop has gone on since its latest verdict. */
  readonly title?: string;
  readonly reason?: string;
  readonly countAt?: number | undefined;
}

/** The latest repetition of an open incident since its latest verdict, with the evidence as of then. */
export type LatestRepetition = NonNullable<OpenIncidentSummary['latest']>;

export function readLatest(text: string | null): LatestRepetition | undefined {
  return text === null ? undefined : (JSON.parse(text) as LatestRepetition);
}

/** What a session's summary tells of its incidents: all of it, or one part between long pauses. */
export type SummaryFigures = Pick<SessionSummary, 'openIncidents' | 'events' | 'lastEventAt' | 'source'>;

/** The last part that begins before this offset, oldest first; an earlier one has ended. */
export function partAt(
  parts: readonly SummaryFigures[],
  offset: string | undefined,
): SummaryFigures | undefined {
  if (offset === undefined) return parts.at(-1);
  return parts.findLast(({ source }) => Number(source.firstOffset) <= Number(offset)) ?? parts.at(-1);
}

export function figuresByIncident({
  openIncidents = [],
  events,
  lastEventAt,
}: Omit<SummaryFigures, 'source'>): Map<string, IncidentFigures> {
  const asOf = { eventIndex: events - 1, lastAt: lastEventAt };
  return new Map(
    openIncidents.map(({ id, latest, ...rest }) => {
      const described = latest && {
        ...(latest.title !== undefined && { title: latest.title }),
        reason: latest.reason,
        countAt: latest.countAt,
      };
      return [id, { ...rest, ...described, ...asOf }];
    }),
  );
}

/** The figures unless a later verdict or a resolution supersedes them. */
export function currentFigures<T extends { readonly eventIndex: number }>(
  latest: Pick<Verdict, 'phase' | 'eventIndex'>,
  figures: T | undefined,
): T | undefined {
  if (figures === undefined || !isOpenAfter(latest)) return undefined;
  return figures.eventIndex >= latest.eventIndex ? figures : undefined;
}

export function readFigures(text: string | null): IncidentFigures | undefined {
  return text === null ? undefined : (JSON.parse(text) as IncidentFigures);
}
