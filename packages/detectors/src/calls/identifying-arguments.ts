import { jsonFrom, type ToolContractSettings } from '@loopwatch/contract';
import { type Fields, isFields } from '../lib/fields.ts';
import { commandField } from './command-line.ts';
import { looksOrOperates } from './tool-words.ts';

/** Fields in which models explain what they look up or operate, in different words each time, and how long it may take. */
const BESIDE_LOOKS =
  /^(?:reason(?:ing)?|summary|rationale|thought|thinking|explanation|justification|note|comment|intent|confidence|timeout(?:Ms|Seconds|_(?:ms|secs?|seconds))?)$/;
/** Fields that agents have the model add to the arguments of any tool, and those that only tell one request from another. */
const ANYWHERE =
  /^(?:_meta|task_progress|security_risk|tool(?:action|summary)|trace(?:parent|state)|(?:progress|client|client.?request).?token|(?:tool.?call|tool.?use|client.?request).?id|cache.?buster|idempotency.?key)$/i;

/** The arguments that distinguish calls of a tool, by its contract. Without one: all but comments on the call. */
export function identifyingArguments(
  name: string,
  args: unknown,
  contract: ToolContractSettings | undefined,
): unknown {
  const value: unknown = typeof args === 'string' ? jsonFrom(args) : args;
  if (!isFields(value)) return args;
  const { identity, volatile = [] } = contract ?? {};
  if (identity === undefined) return tellingArguments(name, value, volatile);
  const entries = Object.entries(value).filter(
    ([field]) => identity.includes(field) && !volatile.includes(field),
  );
  return Object.fromEntries(entries);
}

/** The same object if that is all of them. */
function tellingArguments(name: string, args: Fields, volatile: readonly string[]): object {
  const all = Object.entries(args);
  const runs = commandField(name, args) !== undefined;
  const told = all.filter(
    ([field]) =>
      !ANYWHERE.test(field) &&
      !(runs && (BESIDE_LOOKS.test(field) || field === 'description')) &&
      !volatile.includes(field),
  );
  const others = told.filter(([field]) => !BESIDE_LOOKS.test(field));
  // Alone, the thought is what is looked up.
  const isBeside = others.length > 0 && others.length < told.length && looksOrOperates(name);
  // Models write what they leave out as null, or not at all.
  const entries = (isBeside ? others : told).filter(([, value]) => value !== null);
  return entries.length === all.length ? args : Object.fromEntries(entries);
}
