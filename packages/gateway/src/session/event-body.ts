import { MAX_NAME_UNITS } from '@loopwatch/contract';
import type { ToolCall } from '../api/conversation.ts';
import type { HistoryNews } from './prompt-ledger.ts';

/** What a session's event says, beside what all of them carry. */
export type EventBody =
  | { readonly type: 'prompt_started' | 'content' | 'thought'; readonly text: string }
  | { readonly type: 'turn_started' | 'retry' }
  | {
      readonly type: 'tool_call_request';
      readonly callId: string | null;
      readonly name: string;
      readonly args: ToolCall['args'];
    }
  | {
      readonly type: 'tool_result';
      readonly callId: string | null;
      readonly result: unknown;
      readonly isError?: boolean;
    }
  | { readonly type: 'turn_finished'; readonly finishReason: string | null; readonly usage?: object }
  | { readonly type: 'control'; readonly set: object; readonly unset: readonly string[] };

/** The event of something that a request's history newly holds. */
export function eventOf(news: HistoryNews): EventBody {
  switch (news.type) {
    case 'prompt':
      return { type: 'prompt_started', text: news.text };
    case 'turn':
      return { type: 'turn_started' };
    case 'call':
      return {
        type: 'tool_call_request',
        callId: news.call.id,
        name: news.call.name.slice(0, MAX_NAME_UNITS),
        args: news.call.args,
      };
    case 'result': {
      const { callId, result, isError } = news;
      return { type: 'tool_result', callId, result, ...(isError !== undefined && { isError }) };
    }
  }
}
