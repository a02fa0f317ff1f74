import { canonicalJson } from '@loopwatch/detectors';

/** Levels that JSON.stringify takes wherever it is called; it recurses, and ends beyond some thousands. */
const MAX_LEVELS = 1_000;

/** The event as JSON can be written of it: a member that is nested deeper becomes the text of its JSON. */
export function serializableEvent<T extends object>(event: T): T {
  const members = Object.entries(event).map(([name, member]: [string, unknown]) => [
    name,
    isDeep(member) ? canonicalJson(member) : member,
  ]);
  return Object.fromEntries(members) as T;
}

/** Walks level by level, so that it needs no stack. */
function isDeep(value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_LEVELS) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
