import { userNameSchema } from '@loopwatch/contract/api';
import { create } from 'zustand';
import { writeTimesIn } from './format.ts';

/** Lists with preferences. */
export type ListName = 'incidents' | 'sessions';

/** Columns, widths and saved views of a list. */
export interface ListPreferences {
  /** Column ids in order; null: the default ones. */
  readonly columns: readonly string[] | null;
  /** Widths of resized columns, in pixels. */
  readonly widths: Readonly<Record<string, number>>;
  readonly views: readonly SavedView[];
}

/** The user's preferences in this browser. */
export interface Preferences extends Readonly<Record<ListName, ListPreferences>> {
  readonly zone: 'local' | 'utc';
  /** The user's name, if there are no personal logins. */
  readonly name: string | null;
}

/** A named set of filters. */
export interface SavedView {
  readonly name: string;
  /** Query string without question mark. */
  readonly search: string;
}

/** A stored object of unchecked values. */
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
    // Without storage a choice lasts until reload.
  }
}

/** The same for one of the lists. */
export function preferForList(list: ListName, part: Partial<ListPreferences>): void {
  prefer({ [list]: { ...usePreferences.getState()[list], ...part } });
}

/** Stored preferences may come from an older version or be corrupt: only valid parts are used. */
function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Stored<Preferences>;
    return {
      zone: stored.zone === 'utc' ? 'utc' : 'local',
      name: userNameSchema.safeParse(stored.name).data ?? null,
      // Older versions had one list, and stored its preferences at the top level.
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
