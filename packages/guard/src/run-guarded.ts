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
  const isGeneratorFunction = kind === 'GeneratorFunction';
  return {
    note(result) {
      isAsync ||= isPromise(result);
      isStream ||= isGenerator(result);
    },
    of(text) {
      if (isStream) return streamOf(text) as Result;
      if (isGeneratorFunction) return valuesOf(text) as Result;
      return isAsync ? (Promise.resolve(text) as Result) : text;
    },
  };
}

async function* streamOf(text: string): AsyncGenerator<string, string> {
  yield await Promise.resolve(text);
  return text;
}

function* valuesOf(text: string): Generator<string, string> {
  yield text;
  return text;
}

/**
 * Runs a tool unless the call is denied. The tool's return value or error is passed through unchanged; it can be a value,
 * a promise or a generator, whose last value is the result.
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
  if (isGenerator(result) || isSyncGenerator(result)) return recordLast(result, recorder);
  recorder.recordResult(result);
  return result;
}

type AnyGenerator = AsyncGenerator | Generator<unknown, unknown, unknown>;

/** A generator that hands everything on, and records the last value, also if the caller takes no more. */
function recordLast(values: AnyGenerator, recorder: CallRecorder): unknown {
  let last: unknown;
  let isOver = false;
  const seen = (result: IteratorResult<unknown, unknown>) => {
    if (result.value !== undefined) last = result.value;
    if (result.done === true && !isOver) recorder.recordResult(last);
    isOver ||= result.done === true;
    return result;
  };
  const failed = (error: unknown): never => {
    if (!isOver) recorder.recordError(error);
    isOver = true;
    throw error;
  };
  const handOn =
    (method: 'next' | 'return' | 'throw') =>
    (...given: [unknown]) => {
      try {
        const result = values[method](...given);
        return isPromise(result) ? result.then(seen, failed) : seen(result);
      } catch (error) {
        return failed(error);
      }
    };
  const handed = Object.create(Object.getPrototypeOf(values) as object) as Record<PropertyKey, unknown>;
  for (const method of ['next', 'return', 'throw'] as const)
    if (hasMethods(values, method)) handed[method] = handOn(method);
  handed[isGenerator(values) ? Symbol.asyncIterator : Symbol.iterator] = () => handed;
  return handed;
}

function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return hasMethods(value, 'then');
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return hasMethods(value, 'next', Symbol.asyncIterator);
}

/** Iterators of collections have no `return`: they pass as they are. */
function isSyncGenerator(value: unknown): value is Generator<unknown, unknown, unknown> {
  return hasMethods(value, 'next', 'return', 'throw', Symbol.iterator);
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
