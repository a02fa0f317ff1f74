import { canonicalJson } from '@loopwatch/detectors/internal';

/** Depth that JSON.stringify can handle at any call depth; it recurses, and overflows beyond some thousands. */
const MAX_LEVELS = 1_000;

/** Makes an event safe to serialize: a member that is nested too deeply is replaced by its JSON text. */
export function serializableEvent<T extends object>(event: T): T {
  const members = Object.entries(event).map(([name, member]: [string, unknown]) => [
    name,
    isDeep(member) ? canonicalJson(member) : member,
  ]);
  return Object.fromEntries(members) as T;
}

/** Breadth first, because recursion could overflow the stack. */
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
