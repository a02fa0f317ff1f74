import type { Message } from '../record/message.ts';
import type { Signal } from '../record/signal.ts';
import { kindOf } from './span-kind.ts';
import { toolOf } from './tool-facts.ts';

/** Start times of tools by call id. */
export class ToolStarts {
  readonly #starts = new Map<string, number[]>();

  constructor(spans: readonly Signal[]) {
    for (const span of spans.filter((each) => kindOf(each) === 'tool')) {
      const { callId } = toolOf(span);
      if (callId === undefined || span.start === undefined) continue;
      this.#starts.set(callId, [...(this.#starts.get(callId) ?? []), span.start]);
    }
  }

  /**
   * The time of a model's response: the end of its span, but before its tools start, which can run while the response is
   * still streamed.
   */
  timeOf(response: readonly Message[], { start = 0, end }: Signal): number | undefined {
    const calls = response.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
    const starts = calls
      .flatMap(({ id }) => this.#starts.get(id ?? '') ?? [])
      // Some producers number calls per response.
      .filter((time) => time >= start);
    const times = [...(end === undefined ? [] : [end]), ...starts.map((time) => time - 1)];
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
