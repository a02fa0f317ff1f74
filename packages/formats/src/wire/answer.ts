import type { JsonObject } from '../record/json.ts';
import type { Message, ToolCall, ToolResult, Usage } from '../record/message.ts';

/** What a record of a streamed answer adds to it. */
export interface AnswerDelta {
  readonly text?: string;
  readonly thought?: string;
  /** The record is part of a call that the client runs: it must be held back until the call is complete and judged. */
  readonly isOfCall?: boolean;
  /** The answer is complete, including its usage. */
  readonly isEnd?: boolean;
}

/** What is known of an answer beside its texts. */
export interface AnswerState {
  /** The API's id. */
  readonly id: string | null;
  /** In the order of their starts. */
  readonly calls: readonly ToolCall[];
  /** The calls of each choice, by its index, if the answer has several: alternatives, one of which the client uses. */
  readonly choices?: ReadonlyMap<number, readonly ToolCall[]> | undefined;
  /** Types of the calls that have no input to judge them by, and are not among the others. */
  readonly unknownCalls?: readonly string[];
  /** Results of tools that run at the API. */
  readonly results: readonly ToolResult[];
  readonly usage: Usage | null;
  /** What the API says that the answer cost. */
  readonly costUsd?: number | undefined;
  readonly finishReason: string | null;
}

/** A whole answer of a model. */
export interface Answer extends AnswerState {
  readonly text: string;
  readonly thought: string;
}

/** An answer that arrives record by record. */
export interface StreamedAnswer extends AnswerState {
  /** How many calls, from the first on, are complete. */
  readonly completeCalls: number;
  /** Usage as the API reports it; null until it arrives. */
  readonly rawUsage: JsonObject | null;
  read(record: JsonObject): AnswerDelta;
  /** Whether a record that does not name its answer can be the next of this one, if several are mixed. */
  takes?(record: JsonObject): boolean;
}

export const noDelta: AnswerDelta = {};

/** The texts, calls and results in the messages of one answer. */
export function contentOf(
  messages: readonly Message[],
): Pick<Answer, 'text' | 'thought' | 'calls' | 'results'> {
  const answers = messages.filter((message) => message.role === 'assistant');
  return {
    text: answers.map(({ text = '' }) => text).join(''),
    thought: answers.map(({ thought = '' }) => thought).join(''),
    calls: answers.flatMap(({ calls }) => calls),
    results: messages.flatMap((message) => (message.role === 'tool' ? message.results : [])),
  };
}
