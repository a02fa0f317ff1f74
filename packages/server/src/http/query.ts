import { verdictSchema } from '@loopwatch/contract';
import { z } from 'zod';
import { HttpProblem } from './problem.ts';

/** Query parameters: filters may be given several times, and an incident has to match one of the values of each. */

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const wholeNumber = `a whole number from 1 to ${String(MAX_LIMIT)}`;

const texts = z.array(z.string().min(1).max(1024)).max(50);

const common = {
  detector: z.array(verdictSchema.shape.detector).max(50).describe('Any of these detectors.'),
  sessionId: texts.describe('Any of these sessions.'),
  agent: texts.describe('Any of these agents.'),
  model: texts.describe('Any of these models.'),
};

export const incidentFilters = {
  state: z.array(z.enum(['open', 'resolved'])).describe('Any of these states.'),
  ...common,
};

export const verdictFilters = {
  phase: z.array(verdictSchema.shape.phase).describe('Any of these phases.'),
  incidentId: texts.describe('Verdicts of these incidents.'),
  ...common,
};

export const pagingParameters = {
  limit: z
    .preprocess(toNumber, z.int(wholeNumber).min(1, wholeNumber).max(MAX_LIMIT, wholeNumber))
    .describe(`Items a page, 1 to ${String(MAX_LIMIT)}, default ${String(DEFAULT_LIMIT)}.`),
  cursor: z.string().max(2048).describe('The nextCursor of the page before.'),
};

type Filters = Record<string, z.ZodType<string[]>>;
type Selected<F extends Filters> = { [Name in keyof F]?: z.infer<F[Name]> };

export interface ListQuery<F extends Filters> {
  readonly filters: Selected<F>;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** @throws {HttpProblem} 400 that names each bad parameter and what is allowed */
export function parseListQuery<F extends Filters>(query: unknown, filters: F): ListQuery<F> {
  const lists = Object.entries(filters).map(
    ([name, schema]) => [name, z.preprocess(toList, schema)] as const,
  );
  const schema = z.strictObject({ ...Object.fromEntries(lists), ...pagingParameters }).partial();
  const parsed = schema.safeParse(query);
  if (!parsed.success) throw badQuery(parsed.error, Object.keys({ ...filters, ...pagingParameters }));
  const { limit, cursor, ...selected } = parsed.data;
  return { filters: selected, limit: limit ?? DEFAULT_LIMIT, cursor };
}

/** Whether each given filter holds the value that `item` has under the same name. */
export function matches(
  item: object,
  filters: Readonly<Record<string, readonly string[] | undefined>>,
): boolean {
  return Object.entries(filters).every(([name, allowed]) => {
    const value = (item as Record<string, unknown>)[name];
    return allowed === undefined || (typeof value === 'string' && allowed.includes(value));
  });
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

function toList(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value;
}

function badQuery(error: z.ZodError, known: readonly string[]): HttpProblem {
  const errors = error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const detail = `unknown; known are ${known.join(', ')}`;
      return issue.keys.map((parameter) => ({ parameter, detail }));
    }
    return [{ parameter: String(issue.path[0] ?? 'query'), detail: issue.message }];
  });
  const detail = errors.map(({ parameter, detail: what }) => `${parameter}: ${what}`).join('; ');
  return new HttpProblem(400, detail, { errors });
}
