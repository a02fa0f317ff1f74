import { jsonText, type Queryable } from '@loopwatch/storage';
import type { StoredSettings } from '../settings/stored-settings.ts';

/** A person has stopped a session. */
export interface Stop {
  /** Null: with all others. */
  readonly by: string | null;
}

/** The sessions that were stopped or expressly not, and their sub-agents: these follow the session that started them. */
export class Stops {
  /** The sessions with a setting of their own. */
  readonly #own: ReadonlyMap<string, StoredSettings>;
  /** The session that each stored sub-agent follows. */
  readonly #roots: ReadonlyMap<string, string>;

  constructor(own: ReadonlyMap<string, StoredSettings>, roots: ReadonlyMap<string, string>) {
    this.#own = own;
    this.#roots = roots;
  }

  /**
   * @param all whether all sessions are stopped
   * @param parent the session that started this one, as its agent says: it may not be stored yet
   */
  of(id: string, all: boolean, parent?: string | null): Stop | undefined {
    const root = this.#rootOf(id, parent);
    const isStopped = root === undefined ? all : root.set['stopped'] === true;
    return isStopped ? { by: root?.updatedBy ?? null } : undefined;
  }

  #rootOf(id: string, parent?: string | null): StoredSettings | undefined {
    const own = this.#own.get(this.#roots.get(id) ?? id);
    if (own !== undefined) return own;
    // Coding agents and the library name a sub-agent SESSION/AGENT.
    const above = parent ?? id.slice(0, Math.max(0, id.lastIndexOf('/')));
    return above === '' || above === id ? undefined : this.#rootOf(above);
  }
}

/** @param bySession the settings of sessions */
export async function readStops(
  database: Queryable,
  bySession: ReadonlyMap<string, StoredSettings>,
): Promise<Stops> {
  const own = new Map([...bySession].filter(([, { set }]) => typeof set['stopped'] === 'boolean'));
  if (own.size === 0) return new Stops(own, new Map());
  const rows = await database.query<{ id: string; root: string }>(
    `with recursive own as (select jsonb_array_elements_text($1::jsonb) as id),
     family as (
       select id, id as root from own
       union select s.id, family.root from sessions s join family on s.parent = family.id
       where s.id not in (select id from own)
     ) select id, root from family`,
    [jsonText([...own.keys()])],
  );
  return new Stops(own, new Map(rows.map(({ id, root }) => [id, root])));
}
