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

/** A denial in the way in which a tool returns its results. */
export interface DenialForm<Result> {
  /** Notes how the tool returned. */
  note(result: unknown): void;
  of(text: string): Result | string;
}

const asText: DenialForm<never> = { note: () => undefined, of: (text) => text };

/** The form of a tool's denials, so that its caller can await or iterate them. */
export function denialOf<Result>(run: unknown): DenialForm<Result> {
  const kind = (run as { constructor?: { name?: string } }).constructor?.name;
  let isAsync = kind === 'AsyncFunction';
  let isStream = kind === 'AsyncGeneratorFunction';
  return {
    note(result) {
      isAsync ||= isPromise(result);
      isStream ||= isGenerator(result);
    },
    of(text) {
      if (isStream) return streamOf(text) as Result;
      return isAsync ? (Promise.resolve(text) as Result) : text;
    },
  };
}

async function* streamOf(text: string): AsyncGenerator<string, string> {
  yield await Promise.resolve(text);
  return text;
}

/**
 * Runs a tool unless the call is denied. The tool's return value or error is passed through unchanged; it can be a value,
 * a promise or an async generator, whose last value is the result.
 */
export function runGuarded<Result>(
  gate: CallGate,
  call: { readonly name: string; readonly args: unknown },
  run: () => Result,
  denial: DenialForm<Result> = asText,
): Result | string {
  const recorder = gate.enter(call.name, call.args);
  if (recorder.denial !== undefined) return denial.of(recorder.denial);
  let result: Result;
  try {
    result = run();
  } catch (error) {
    recorder.recordError(error);
    throw error;
  }
  denial.note(result);
  if (!isPromise(result)) return recordReturn(result, recorder) as Result;
  gate.isAsync = true;
  return result.then(
    (value: unknown) => recordReturn(value, recorder),
    (error: unknown) => {
      recorder.recordError(error);
      throw error;
    },
  ) as Result;
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
  let sent: unknown;
  try {
    for (;;) {
      const next = await values.next(sent);
      if (next.done === true) {
        recorder.recordResult(next.value === undefined ? last : next.value);
        return next.value as unknown;
      }
      last = next.value;
      sent = yield last;
    }
  } catch (error) {
    recorder.recordError(error);
    throw error;
  } finally {
    await values.return(undefined);
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return hasMethods(value, 'then');
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return hasMethods(value, 'next', Symbol.asyncIterator);
}

/** A value may be anything, even a proxy that throws. */
function hasMethods(value: unknown, ...names: readonly PropertyKey[]): boolean {
  try {
    return names.every(
      (name) => typeof (value as Record<PropertyKey, unknown> | null | undefined)?.[name] === 'function',
    );
  } catch {
    return false;
  }
}
