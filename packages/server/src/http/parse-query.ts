import { plainErrors, timeFromText } from '@loopwatch/contract/internal';
import * as z from 'zod';
import { badRequest, type HttpProblem } from './problem.ts';

/** Parses query parameters by the schemas of the API: text becomes lists, numbers, times and booleans. */

/** A page of a list. */
export interface Paging {
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface Sorting<Name extends string = string> {
  readonly by: Name;
  readonly descending: boolean;
}

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const wholeNumber = `a whole number from 1 to ${String(MAX_LIMIT)}`;

/** Paging parameters of every list. */
export const pagingParameters = {
  limit: z
    .int(wholeNumber)
    .min(1, wholeNumber)
    .max(MAX_LIMIT, wholeNumber)
    .describe(`Items per page, 1 to ${String(MAX_LIMIT)}, default ${String(DEFAULT_LIMIT)}.`),
  cursor: z.string().max(2048).describe('The nextCursor of the previous page.'),
};

/** The parameter `sort`: a field, prefixed with a minus for descending order. */
export function sortParameter(sorts: readonly string[]) {
  const names = sorts.flatMap((name) => [`-${name}`, name]);
  return z
    .enum(names)
    .describe(`The sort field, prefixed with a minus for descending order; default ${names[0] ?? ''}.`);
}

/** @throws HttpProblem 400 that lists each invalid parameter */
export function parseQuery<Shape extends z.ZodRawShape>(
  query: unknown,
  schema: z.ZodObject<Shape>,
): z.infer<z.ZodObject<Shape>> {
  const shape = schema.shape as z.ZodRawShape as Record<string, z.ZodType>;
  const values = Object.entries((query ?? {}) as Record<string, unknown>).map(
    ([name, value]) =>
      [name, shape[name] === undefined ? value : fromText(value, shape[name], name)] as const,
  );
  const parsed = schema.safeParse(Object.fromEntries(values), plainErrors);
  if (!parsed.success) throw badQuery(parsed.error, Object.keys(shape));
  return parsed.data;
}

export interface ListQuery<Filter, Sort extends string> extends Paging {
  readonly filter: Filter;
  readonly sort: Sorting<Sort>;
}

/**
 * Parses the query of a list: filters, sort (default: the first field, descending) and page.
 *
 * @throws HttpProblem 400 that lists each invalid parameter
 */
export function parseListQuery<Shape extends z.ZodRawShape, Sort extends string>(
  query: unknown,
  filters: z.ZodObject<Shape>,
  sorts: readonly [Sort, ...Sort[]],
): ListQuery<z.infer<z.ZodObject<Shape>>, Sort> {
  const paging = z.object({ ...pagingParameters, sort: sortParameter(sorts) }).partial();
  const schema = z.strictObject({ ...filters.shape, ...paging.shape });
  const { limit, cursor, sort, ...filter } = parseQuery(query, schema) as Record<string, unknown>;
  const name = typeof sort === 'string' ? sort : `-${sorts[0]}`;
  const descending = name.startsWith('-');
  return {
    filter: filter as z.infer<z.ZodObject<Shape>>,
    limit: typeof limit === 'number' ? limit : DEFAULT_LIMIT,
    cursor: typeof cursor === 'string' ? cursor : undefined,
    sort: { by: (descending ? name.slice(1) : name) as Sort, descending },
  };
}

const times = new Set(['from', 'to']);
const timeDetail = 'must be epoch milliseconds, or a time such as 2026-11-30T10:00:00Z';

function fromText(value: unknown, schema: z.ZodType, name: string): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional) inner = inner.unwrap() as z.ZodType;
  if (inner instanceof z.ZodArray) return typeof value === 'string' ? [value] : value;
  if (typeof value !== 'string') return value;
  if (inner instanceof z.ZodBoolean) return value === 'true' ? true : value === 'false' ? false : value;
  if (!(inner instanceof z.ZodNumber)) return value;
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value);
  // A plus that is not encoded is a space in a query.
  const time = times.has(name) ? timeFromText(value.replace(/ (?=\d\d:\d\d$)/, '+')) : undefined;
  return time ?? value;
}

function badQuery(error: z.ZodError, known: readonly string[]): HttpProblem {
  const errors = error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const detail = `unknown parameter; expected one of ${known.join(', ')}`;
      return issue.keys.map((parameter) => ({ parameter, detail }));
    }
    const parameter = String(issue.path[0] ?? 'query');
    const isTime = times.has(parameter) && issue.code === 'invalid_type';
    return [{ parameter, detail: isTime ? timeDetail : issue.message }];
  });
  return badRequest(...errors);
}
