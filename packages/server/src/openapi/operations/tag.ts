import * as z from 'zod';
import { pagingParameters, sortParameter } from '../../http/parse-query.ts';
import type { Operation } from '../operation.ts';

/** By path and method. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** A group of operations in the document. */
export interface Tag {
  readonly name: string;
  /** What the operations are for. */
  readonly description: string;
  readonly operations: Operations;
}

/** The parameters of a list: its filters, a page and an order. */
export function listOf(filters: z.ZodObject, sorts: readonly string[]): z.ZodObject {
  return z.object({ ...filters.shape, ...pagingParameters, sort: sortParameter(sorts) });
}
