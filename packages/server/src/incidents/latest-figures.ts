import {
  isOpenAfter,
  type OpenIncidentSummary,
  type SessionSummary,
  type Verdict,
} from '@loopwatch/contract';

/**
 * Count and cost of an open incident according to its session's latest summary, because they grow between two verdicts.
 */
export interface IncidentFigures extends Omit<OpenIncidentSummary, 'id'> {
  /** Index of the session's latest event in the figures. */
  readonly eventIndex: number;
  /** Event time of that event, epoch ms. */
  readonly lastAt: number;
}

type SummaryFigures = Pick<SessionSummary, 'openIncidents' | 'events' | 'lastEventAt'>;

export function figuresByIncident({
  openIncidents = [],
  events,
  lastEventAt,
}: SummaryFigures): Map<string, IncidentFigures> {
  const asOf = { eventIndex: events - 1, lastAt: lastEventAt };
  return new Map(openIncidents.map(({ id, ...rest }) => [id, { ...rest, ...asOf }]));
}

/** The figures unless a later verdict or a resolution supersedes them. */
export function currentFigures(
  latest: Pick<Verdict, 'phase' | 'eventIndex'>,
  figures: IncidentFigures | undefined,
): IncidentFigures | undefined {
  if (figures === undefined || !isOpenAfter(latest)) return undefined;
  return figures.eventIndex >= latest.eventIndex ? figures : undefined;
}

export function readFigures(text: string | null): IncidentFigures | undefined {
  return text === null ? undefined : (JSON.parse(text) as IncidentFigures);
}
