/** Decides on calls before they run, and records their outcome. Its methods never throw. */
export interface CallGate {
  /** Whether a tool has returned a promise, so that calls may run side by side. */
  isAsync?: boolean;
  /** @returns a denial, which replaces the result, or the recorder of the call's outcome */
  enter(name: string, args: unknown): { readonly denial: string } | CallRecorder;
}

export interface CallRecorder {
  readonly denial?: undefined;
  recordResult(result: unknown): void;
  recordError(error: unknown): void;
}

/**
 * Runs a tool unless the call is denied. The tool's return value or error is passed through unchanged; it can be a value,
 * a promise or an async generator, whose last value is the result.
 */
export function runGuarded<Result>(
  gate: CallGate,
  call: { readonly name: string; readonly args: unknown },
  run: () => Result,
): Result | string {
  const recorder = gate.enter(call.name, call.args);
  if (recorder.denial !== undefined) return recorder.denial;
  try {
    const result = run();
    if (isPromise(result)) {
      gate.isAsync = true;
      return result.then(
        (value: unknown) => recordReturn(value, recorder),
        (error: unknown) => {
          recorder.recordError(error);
          throw error;
        },
      ) as Result;
    }
    return recordReturn(result, recorder) as Result;
  } catch (error) {
    recorder.recordError(error);
    throw error;
  }
}

function recordReturn(result: unknown, recorder: CallRecorder): unknown {
  if (isGenerator(result)) return recordLast(result, recorder);
  recorder.recordResult(result);
  return result;
}

async function* recordLast(
  values: AsyncGenerator,
  recorder: CallRecorder,
): AsyncGenerator<unknown, unknown, unknown> {
  let last: unknown;
  try {
    for (;;) {
      const next = await values.next();
      if (next.done === true) {
        recorder.recordResult(next.value === undefined ? last : next.value);
        return next.value as unknown;
      }
      last = next.value;
      yield last;
    }
  } catch (error) {
    recorder.recordError(error);
    throw error;
  } finally {
    await values.return(undefined);
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

function isGenerator(value: unknown): value is AsyncGenerator {
  const { next, [Symbol.asyncIterator]: iterator } = (value ?? {}) as Partial<AsyncGenerator>;
  return typeof next === 'function' && typeof iterator === 'function';
}
