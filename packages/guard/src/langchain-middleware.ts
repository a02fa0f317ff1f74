import { GraphStep } from './graph-step.ts';
import type { CallGate } from './run-guarded.ts';
import { guardLangChainTools } from './sdk-tools.ts';

/** How LangChain recognizes a middleware; this avoids a dependency on it. */
const brand = Symbol.for('AgentMiddleware');

/** The fields of a tool call's request that the guard uses. */
interface ToolCallRequest {
  /** Undefined for tools that another middleware provides. */
  readonly tool?: unknown;
}

/** The fields of an agent's message that the guard uses. */
interface ModelMessage {
  readonly text?: unknown;
  readonly usage_metadata?: { readonly input_tokens?: number; readonly output_tokens?: number };
}

/** What the middleware needs to know of its guard. */
export interface MiddlewareGuard {
  /** Why the run should end; null if it should not. */
  readonly reason: string | null;
  readonly onStepFinish: (step: {
    readonly text: string | undefined;
    readonly usage:
      | { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }
      | undefined;
  }) => void;
}

/** A middleware of LangChain 1.x, structurally. */
export interface LangChainMiddleware {
  readonly name: string;
  readonly wrapToolCall: <Request extends ToolCallRequest, Result>(
    request: Request,
    handler: (request: Request) => Result,
  ) => Result;
  readonly beforeModel: {
    readonly canJumpTo: ['end'];
    readonly hook: () => { jumpTo: 'end'; messages: { role: 'assistant'; content: string }[] } | undefined;
  };
  readonly afterModel: (state: { readonly messages: readonly object[] }) => undefined;
}

/** Guards the tools of `createAgent`, and ends its run before the next model request. */
export function langchainMiddleware(gate: CallGate, guard: MiddlewareGuard): LangChainMiddleware {
  const step = new GraphStep();
  const middleware: LangChainMiddleware = {
    name: 'loopwatch',
    wrapToolCall: (request, handler) => {
      const { tool } = request;
      if (typeof tool !== 'object' || tool === null) return handler(request);
      const [guarded] = guardLangChainTools(gate, [tool], step);
      return handler({ ...request, tool: guarded });
    },
    beforeModel: {
      canJumpTo: ['end'],
      hook: () => {
        const { reason } = guard;
        if (reason === null) return undefined;
        return { jumpTo: 'end', messages: [{ role: 'assistant', content: reason }] };
      },
    },
    afterModel: ({ messages }) => {
      const { text, usage_metadata: usage } = (messages.at(-1) ?? {}) as ModelMessage;
      guard.onStepFinish({
        text: typeof text === 'string' ? text : undefined,
        usage: usage && { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
      });
      return undefined;
    },
  };
  return { ...middleware, [brand]: true } as LangChainMiddleware;
}
