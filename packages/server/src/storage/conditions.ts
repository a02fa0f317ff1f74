import { storableText } from '@loopwatch/contract';
import type { IncidentFilter } from '@loopwatch/contract/api';
import { jsonText } from '@loopwatch/storage';

type LabelFilter = Pick<IncidentFilter, 'model' | 'backend' | 'agent' | 'tenant' | 'agentVersion' | 'tag'>;

/** Whether a filter lets every value pass. */
export function isAny(values: unknown): values is undefined | readonly [] {
  return values === undefined || (Array.isArray(values) && values.length === 0);
}

/** Sessions whose ids a search collects before it reads rows. */
const MAX_COLLECTED = 20_000;

/** Builds a `where` clause with its values as parameters. */
export class Conditions {
  readonly parameters: unknown[];
  readonly #parts: string[] = [];

  /** @param parameters those of another clause in the same statement, to be numbered with these */
  constructor(parameters: unknown[] = []) {
    this.parameters = parameters;
  }

  /** @returns the parameter's name in the statement */
  parameter(value: unknown): string {
    this.parameters.push(value);
    return `$${String(this.parameters.length)}`;
  }

  add(condition: string): void {
    this.#parts.push(condition);
  }

  /** The column equals one of the values; no values: no condition. */
  anyOf(column: string, values: readonly string[] | undefined): void {
    if (isAny(values)) return;
    this.add(`${column} in (${values.map((value) => this.parameter(value)).join(', ')})`);
  }

  /** The column, a JSON object, holds one of the tags, each written as `name:value`. */
  anyTag(column: string, tags: readonly string[] | undefined): void {
    if (isAny(tags)) return;
    const parts = tags.map((tag) => {
      const colon = tag.indexOf(':');
      const [name, value] = [tag.slice(0, colon), tag.slice(colon + 1)].map(storableText);
      const held = jsonText({ [name ?? '']: value });
      return `${column} @> ${this.parameter(held)}::jsonb`;
    });
    this.add(`(${parts.join(' or ')})`);
  }

  /** Who ran a session, by the columns that sessions and incidents share. */
  labels(filter: LabelFilter): void {
    this.anyOf('model', filter.model);
    this.anyOf('backend', filter.backend);
    this.anyOf('agent', filter.agent);
    this.anyOf('tenant', filter.tenant);
    this.anyOf('agent_version', filter.agentVersion);
    this.anyTag('tags', filter.tag);
  }

  /** From inclusive, to exclusive. */
  between(column: string, from: number | undefined, to: number | undefined): void {
    if (from !== undefined) this.add(`${column} >= ${this.parameter(from)}::float8`);
    if (to !== undefined) this.add(`${column} < ${this.parameter(to)}::float8`);
  }

  /**
   * The session has the text in its title, prompts or labels, or the row itself in this column, which is in lower case.
   *
   * @param id the column of the session's id, with its table's name
   */
  searches(id: string, text: string | undefined, column?: string): void {
    if (text === undefined) return;
    const literal = text.toLowerCase().replace(/[\\%_]/g, '\\$&');
    const pattern = this.parameter(`%${literal}%`);
    const found = `from session_texts where text like ${pattern}`;
    if (column === undefined) {
      this.add(`${id} in (select session_id ${found})`);
      return;
    }
    // Few sessions are collected, which an index finds; of many, those of the rows that are read are looked up.
    const bound = `limit ${String(MAX_COLLECTED + 1)}`;
    const areMany = `(select count(*) > ${String(MAX_COLLECTED)} from (select ${found} ${bound}) as found)`;
    // In the order of the primary key: the index of texts, or all of them, would be read for each row.
    const has = `strpos(text, ${this.parameter(text.toLowerCase())}) > 0`;
    const isOne = `(select true from session_texts where session_id = ${id} and ${has} order by part limit 1) is not null`;
    const isAmong = `${id} in (select session_id ${found} ${bound})`;
    this.add(`(${column} like ${pattern} or case when ${areMany} then ${isOne} else ${isAmong} end)`);
  }

  get where(): string {
    return this.#parts.length === 0 ? '' : `where ${this.#parts.join(' and ')}`;
  }

  /** A copy that can be narrowed independently, of the same statement: they share their parameters. */
  sharing(): Conditions {
    const copy = new Conditions(this.parameters);
    copy.#parts.push(...this.#parts);
    return copy;
  }

  /** A copy that can be narrowed independently, of another statement. */
  copy(): Conditions {
    const copy = new Conditions();
    copy.parameters.push(...this.parameters);
    copy.#parts.push(...this.#parts);
    return copy;
  }
}
