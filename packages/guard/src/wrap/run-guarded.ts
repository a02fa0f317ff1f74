/** How a call is asked about before, and recorded after it. None of it throws. */
export interface CallGate {
  /** @returns what the model gets in place of a result; otherwise takes the call's outcome */
  enter(name: string, args: unknown): { readonly denial: string } | CallRecord;
}

export interface CallRecord {
  readonly denial?: undefined;
  returned(result: unknown): void;
  threw(error: unknown): void;
}

/**
 * Runs a tool unless the call is denied. What it returns or throws is passed on as it is: a value, a promise, or values that
 * come one after the other, the last of which is the result.
 */
export function runGuarded<Result>(
  gate: CallGate,
  call: { readonly name: string; readonly args: unknown },
  run: () => Result,
): Result | string {
  const entered = gate.enter(call.name, call.args);
  if (entered.denial !== undefined) return entered.denial;
  try {
    const result = run();
    if (isPromise(result)) {
      return result.then(
        (value: unknown) => passOn(value, entered),
        (error: unknown) => {
          entered.threw(error);
          throw error;
        },
      ) as Result;
    }
    return passOn(result, entered) as Result;
  } catch (error) {
    entered.threw(error);
    throw error;
  }
}

function passOn(result: unknown, record: CallRecord): unknown {
  if (isGenerator(result)) return recorded(result, record);
  record.returned(result);
  return result;
}

async function* recorded(
  values: AsyncGenerator,
  record: CallRecord,
): AsyncGenerator<unknown, unknown, unknown> {
  let last: unknown;
  try {
    for (;;) {
      const next = await values.next();
      if (next.done === true) {
        record.returned(next.value === undefined ? last : next.value);
        return next.value as unknown;
      }
      last = next.value;
      yield last;
    }
  } catch (error) {
    record.threw(error);
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
