import {
  isOpenAfter,
  type OpenIncidentSummary,
  type SessionSummary,
  type Verdict,
} from '@loopwatch/contract';

/** How an open incident stands by its session's latest summary: the numbers go on between two verdicts. */
export interface Standing extends Omit<OpenIncidentSummary, 'id'> {
  /** Index of the session's event that the numbers are as of. */
  readonly eventIndex: number;
  /** Event time of that event, epoch ms. */
  readonly lastAt: number;
}

type Told = Pick<SessionSummary, 'openIncidents' | 'events' | 'lastEventAt'>;

/** By incident. */
export function standingsOf({ openIncidents = [], events, lastEventAt }: Told): Map<string, Standing> {
  const asOf = { eventIndex: events - 1, lastAt: lastEventAt };
  return new Map(openIncidents.map(({ id, ...rest }) => [id, { ...rest, ...asOf }]));
}

/** The standing where it is what is known last; a verdict that lies behind it says more, and the last one says it all. */
export function standingOn(
  latest: Pick<Verdict, 'phase' | 'eventIndex'>,
  standing: Standing | undefined,
): Standing | undefined {
  if (standing === undefined || !isOpenAfter(latest)) return undefined;
  return standing.eventIndex >= latest.eventIndex ? standing : undefined;
}

export function readStanding(text: string | null): Standing | undefined {
  return text === null ? undefined : (JSON.parse(text) as Standing);
}
