const OPENING = 'Loopwatch denied this call';
/** An agent may put its own words before what a hook told it. */
const OPENING_UNITS = 200;

/** The result of a call that was denied, as the agent and the log get it. */
export function denialText(text: string): string {
  return `${OPENING}: ${text}`;
}

/** Whether a result only says that Loopwatch denied the call. */
export function isDenial(result: unknown): boolean {
  return typeof result === 'string' && result.slice(0, OPENING_UNITS).includes(OPENING);
}
