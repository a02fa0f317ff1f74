import { create } from 'zustand';
import { writeTimesIn } from '../ui/format.ts';

/** What a reader chose for this browser; views that were saved are kept here too. */
export interface Preferences {
  readonly zone: 'local' | 'utc';
  /** Columns of the list of incidents, in their order; absent: the usual ones. */
  readonly columns: readonly string[] | null;
  /** Of columns that were given another than the usual, in pixels. */
  readonly widths: Readonly<Record<string, number>>;
  readonly views: readonly SavedView[];
}

/** A set of filters with a name. */
export interface SavedView {
  readonly name: string;
  /** The query string of the list, without its question mark. */
  readonly search: string;
}

const KEY = 'loopwatch.preferences';
const standard: Preferences = { zone: 'local', columns: null, widths: {}, views: [] };

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

/** What is stored may be of an older page, or of nobody: only what fits is taken. */
function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<
      Record<keyof Preferences, unknown>
    >;
    return {
      zone: stored.zone === 'utc' ? 'utc' : 'local',
      columns: isTexts(stored.columns) ? stored.columns : standard.columns,
      widths: isWidths(stored.widths) ? stored.widths : standard.widths,
      views: Array.isArray(stored.views) ? stored.views.filter(isView) : standard.views,
    };
  } catch {
    return standard;
  }
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
  const { name, search } = value as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && typeof search === 'string';
}
