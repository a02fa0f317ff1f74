import type { CallGate, CallRecorder } from './run-guarded.ts';

type Entered = ReturnType<CallGate['enter']>;

/** Of one step. */
const MAX_CALLS = 128;

/**
 * The calls of a step of LangGraph, by their ids. Once a person has answered the interrupt of a tool, the graph runs the calls of
 * the step again: they are the same calls, whose results are still to come.
 */
export class GraphStep {
  readonly #calls = new Map<string, Entered>();
  #isInterrupted = false;

  /** The gate for a call with this id. */
  gate(gate: CallGate, id: string | undefined): CallGate {
    if (id === undefined) return gate;
    return { enter: (name, args) => this.#enter(id, () => gate.enter(name, args)) };
  }

  #enter(id: string, enter: () => Entered): Entered {
    const known = this.#isInterrupted ? this.#calls.get(id) : undefined;
    if (known !== undefined) return known;
    // The interrupt has no answer: a new step begins.
    if (this.#isInterrupted || this.#calls.size >= MAX_CALLS) this.#end();
    const entered = enter();
    const call = entered.denial === undefined ? this.#recordedOnce(entered) : entered;
    this.#calls.set(id, call);
    return call;
  }

  #end(): void {
    for (const call of this.#calls.values()) if (call.denial === undefined) call.recordError('interrupted');
    this.#calls.clear();
    this.#isInterrupted = false;
  }

  #recordedOnce(recorder: CallRecorder): CallRecorder {
    let isRecorded = false;
    const record = (how: 'recordResult' | 'recordError', outcome: unknown): void => {
      if (!isRecorded) recorder[how](outcome);
      isRecorded = true;
    };
    return {
      recordResult: (result) => record('recordResult', result),
      recordError: (error) => {
        if (isInterrupt(error)) this.#isInterrupted = true;
        else record('recordError', error);
      },
    };
  }
}

/** How LangGraph marks its errors that are none. */
function isInterrupt(error: unknown): boolean {
  try {
    return (error as { readonly is_bubble_up?: unknown } | null | undefined)?.is_bubble_up === true;
  } catch {
    // Anything can be thrown, even a proxy that throws.
    return false;
  }
}
