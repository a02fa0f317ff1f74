import type { DetectorId, IncidentRow } from '@loopwatch/contract';
import { detectorIds } from '../ui/detectors.ts';

/** What the address says of the list; the empty object is everything. */
export interface Filters {
  readonly state?: IncidentRow['state'];
  readonly detector?: readonly DetectorId[];
  readonly agent?: string;
  readonly model?: string;
  readonly sessionId?: string;
}

const texts = ['agent', 'model', 'sessionId'] as const;
export type TextFilter = (typeof texts)[number];

/** The filters in a query string, and the parts of it that say nothing sensible. */
export function readFilters(search: string): { filters: Filters; ignored: string[] } {
  const query = new URLSearchParams(search);
  const ignored: string[] = [];
  let filters: Filters = {};
  const state = query.get('state');
  if (state === 'open' || state === 'resolved') filters = { ...filters, state };
  else if (state !== null) ignored.push(`state=${state}`);

  const asked = query.getAll('detector').flatMap((value) => value.split(','));
  const detector = detectorIds.filter((id) => asked.includes(id));
  ignored.push(...asked.filter((value) => !isDetector(value)).map((value) => `detector=${value}`));
  if (detector.length > 0) filters = { ...filters, detector };

  for (const name of texts) {
    const value = query.get(name);
    if (value !== null && value !== '') filters = { ...filters, [name]: value };
  }
  return { filters, ignored };
}

/** The inverse of {@link readFilters}: '' or a query string with its question mark. */
export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams();
  if (filters.state !== undefined) query.set('state', filters.state);
  for (const id of filters.detector ?? []) query.append('detector', id);
  for (const name of texts) {
    const value = filters[name];
    if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

export function matchesFilters(row: IncidentRow, { state, detector, ...rest }: Filters): boolean {
  if (state !== undefined && row.state !== state) return false;
  if (detector !== undefined && !detector.includes(row.detector)) return false;
  return texts.every((name) => rest[name] === undefined || row[name] === rest[name]);
}

/** With `id` in when it was out, and the other way round. */
export function toggleDetector(filters: Filters, id: DetectorId): Filters {
  const { detector = [], ...rest } = filters;
  const next = detector.includes(id)
    ? detector.filter((other) => other !== id)
    : detectorIds.filter((other) => other === id || detector.includes(other));
  return next.length === 0 ? rest : { ...rest, detector: next };
}

export function without<Name extends keyof Filters>(filters: Filters, name: Name): Omit<Filters, Name> {
  const rest = { ...filters };
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a fresh copy with few keys
  delete rest[name];
  return rest;
}

export function listPath(filters: Filters): string {
  return `/incidents${writeFilters(filters)}`;
}

export function incidentPath(id: string, filters: Filters): string {
  return `/incidents/${encodeURIComponent(id)}${writeFilters(filters)}`;
}

/** The page that a path asks for; undefined where there is none. */
export function readPath(path: string): { page: 'list' } | { page: 'incident'; id: string } | undefined {
  if (path === '/' || path === '/incidents' || path === '/incidents/') return { page: 'list' };
  const id = /^\/incidents\/([^/]+)$/.exec(path)?.[1];
  if (id === undefined) return undefined;
  try {
    return { page: 'incident', id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

function isDetector(value: string): boolean {
  return (detectorIds as readonly string[]).includes(value);
}
