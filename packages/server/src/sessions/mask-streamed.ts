import { type MaskPatterns, maskPieces } from '@loopwatch/detectors/internal';

/** An event of any type, as stored. */
interface StoredEvent {
  readonly type: string;
  readonly id?: unknown;
  readonly text?: unknown;
}

/** A piece of a streamed text. */
interface Piece {
  readonly at: number;
  readonly text: string;
}

/** After these, a text is a new one. Other types, which are unknown here, do not interrupt it. */
const boundaries: ReadonlySet<string> = new Set([
  'prompt_started',
  'turn_started',
  'tool_call_request',
  'tool_result',
  'turn_finished',
  'retry',
  'session_ended',
]);

/** Whether the event is a piece of a text, so that a secret in it may have begun before it. */
export function isPiece(event: StoredEvent | null | undefined): boolean {
  return (event?.type === 'content' || event?.type === 'thought') && typeof event.text === 'string';
}

/** Whether a text before this event is complete. */
export function isBoundary(event: StoredEvent): boolean {
  return boundaries.has(event.type);
}

/** Events that are held at most until their text is complete. */
const MAX_RUN = 1_000;

/** Whether consecutive events of a session can be masked together: their texts are complete, or there are too many. */
export function isRun(events: readonly StoredEvent[]): boolean {
  const last = events.at(-1);
  return events.length >= MAX_RUN || (last !== undefined && isBoundary(last));
}

/**
 * Masks the secrets in the texts that several events of one session make together, such as token by token. Those in one event
 * remain: `maskJson` finds them, also where a key names them.
 *
 * @param events in their order
 */
export function maskStreamed<T extends StoredEvent>(events: readonly T[], masks: MaskPatterns): T[] {
  const masked = [...events];
  const runs = new Map<string, Map<unknown, Piece>>();
  const copies: [copy: number, original: number][] = [];
  const end = () => {
    for (const run of runs.values()) {
      const pieces = [...run.values()];
      const shown = maskPieces(
        pieces.map(({ text }) => text),
        masks,
      );
      pieces.forEach(({ at, text }, i) => {
        const event = masked[at];
        if (event !== undefined && shown[i] !== text) masked[at] = { ...event, text: shown[i] };
      });
    }
    runs.clear();
  };
  events.forEach((event, at) => {
    if (isBoundary(event)) end();
    if (!isPiece(event)) return;
    const run = runs.get(event.type) ?? new Map<unknown, Piece>();
    runs.set(event.type, run);
    // Delivered twice, it is one piece.
    const key = event.id ?? at;
    const first = run.get(key);
    if (first === undefined) run.set(key, { at, text: String(event.text) });
    else copies.push([at, first.at]);
  });
  end();
  for (const [copy, original] of copies) {
    const [event, shown] = [masked[copy], masked[original]];
    if (event !== undefined && shown !== undefined) masked[copy] = { ...event, text: shown.text };
  }
  return masked;
}
