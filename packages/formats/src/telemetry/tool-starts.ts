import type { Message } from '../record/conversation.ts';
import type { Signal } from './otlp-json.ts';
import { kindOf, toolOf } from './span-facts.ts';

/** When tools were started, by the calls that they run. */
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
   * When a model's answer was there: at the end of its span, but before the tools that it asks for. These run while the rest
   * of the answer is streamed.
   */
  timeOf(answer: readonly Message[], { start = 0, end }: Signal): number | undefined {
    const calls = answer.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
    const starts = calls
      .flatMap(({ id = '' }) => this.#starts.get(id) ?? [])
      // Some producers count calls from 1 in each answer.
      .filter((time) => time >= start);
    const times = [...(end === undefined ? [] : [end]), ...starts.map((time) => time - 1)];
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
