import { userNameSchema } from '@loopwatch/contract/api';
import { create } from 'zustand';
import { writeTimesIn } from './format.ts';

/** The lists that a reader can arrange. */
export type ListName = 'incidents' | 'sessions';

/** How a reader has arranged a list. */
export interface ListPreferences {
  /** Columns in their order; absent: the default ones. */
  readonly columns: readonly string[] | null;
  /** Of columns that were given another than the default, in pixels. */
  readonly widths: Readonly<Record<string, number>>;
  readonly views: readonly SavedView[];
}

/** What a reader chose for this browser; views that were saved are kept here too. */
export interface Preferences extends Readonly<Record<ListName, ListPreferences>> {
  readonly zone: 'local' | 'utc';
  /** The reader's own name, where logins do not tell it. */
  readonly name: string | null;
}

/** A set of filters with a name. */
export interface SavedView {
  readonly name: string;
  /** The query string of the list, without its question mark. */
  readonly search: string;
}

/** What may be stored under the names of a type. */
type Stored<Type> = Partial<Record<keyof Type, unknown>>;

const KEY = 'loopwatch.preferences';
const standardList: ListPreferences = { columns: null, widths: {}, views: [] };
const standard: Preferences = {
  zone: 'local',
  name: null,
  incidents: standardList,
  sessions: standardList,
};

export const usePreferences = create<Preferences>(() => read());
writeTimesIn(usePreferences.getState().zone);

export function prefer(part: Partial<Preferences>): void {
  if (part.zone !== undefined) writeTimesIn(part.zone);
  usePreferences.setState(part);
  try {
    localStorage.setItem(KEY, JSON.stringify(usePreferences.getState()));
  } catch {
    // Without storage a choice lasts as long as the page.
  }
}

/** The same for one of the lists. */
export function preferForList(list: ListName, part: Partial<ListPreferences>): void {
  prefer({ [list]: { ...usePreferences.getState()[list], ...part } });
}

/** What is stored may be from an older page, or be something else: only what fits is taken. */
function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Stored<Preferences>;
    return {
      zone: stored.zone === 'utc' ? 'utc' : 'local',
      name: userNameSchema.safeParse(stored.name).data ?? null,
      // Once there was but one list, and what was chosen for it lay beside the zone.
      incidents: readList(stored.incidents ?? stored),
      sessions: readList(stored.sessions),
    };
  } catch {
    return standard;
  }
}

function readList(stored: unknown): ListPreferences {
  if (typeof stored !== 'object' || stored === null) return standardList;
  const { columns, widths, views } = stored as Stored<ListPreferences>;
  return {
    columns: isTexts(columns) ? columns : standardList.columns,
    widths: isWidths(widths) ? widths : standardList.widths,
    views: Array.isArray(views) ? views.filter(isView) : standardList.views,
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isWidths(value: unknown): value is Record<string, number> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((width) => Number.isFinite(width) && width > 0)
  );
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Stored<SavedView>;
  return typeof name === 'string' && typeof search === 'string';
}
