import {
  isOpenAfter,
  type OpenIncidentSummary,
  type SessionSummary,
  type Verdict,
} from '@loopwatch/contract';

/** How an open incident stands by its session's latest summary: the numbers go on between two verdicts. */
export interface IncidentFigures extends Omit<OpenIncidentSummary, 'id'> {
  /** Index of the session's event that the numbers are as of. */
  readonly eventIndex: number;
  /** Event time of that event, epoch ms. */
  readonly lastAt: number;
}

type Told = Pick<SessionSummary, 'openIncidents' | 'events' | 'lastEventAt'>;

/** By incident. */
export function figuresByIncident({
  openIncidents = [],
  events,
  lastEventAt,
}: Told): Map<string, IncidentFigures> {
  const asOf = { eventIndex: events - 1, lastAt: lastEventAt };
  return new Map(openIncidents.map(({ id, ...rest }) => [id, { ...rest, ...asOf }]));
}

/** The standing where it is what is known last; a verdict that lies behind it says more, and the last one says it all. */
export function currentFigures(
  latest: Pick<Verdict, 'phase' | 'eventIndex'>,
  standing: IncidentFigures | undefined,
): IncidentFigures | undefined {
  if (standing === undefined || !isOpenAfter(latest)) return undefined;
  return standing.eventIndex >= latest.eventIndex ? standing : undefined;
}

export function readFigures(text: string | null): IncidentFigures | undefined {
  return text === null ? undefined : (JSON.parse(text) as IncidentFigures);
}
