import { type CallGate, runGuarded } from './run-guarded.ts';

interface LangChainTool {
  readonly name: string;
  readonly responseFormat?: string;
  readonly _call?: unknown;
}

/** Tools that LangChain itself still parses the input of, and formats the result of. */
export function guardLangChainTools<Tool extends object>(gate: CallGate, tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const { name, responseFormat, _call: call } = tool as LangChainTool;
    if (typeof call !== 'function') return tool;
    const _call = async (args: unknown, ...more: unknown[]): Promise<unknown> => {
      const gated = { ran: false };
      const result = await runGuarded(gate, { name, args }, () => {
        gated.ran = true;
        return Reflect.apply(call, tool, [args, ...more]) as unknown;
      });
      const isPair = !gated.ran && responseFormat === 'content_and_artifact';
      return isPair ? [result, undefined] : result;
    };
    // It stays an instance of its class, of which this is the only method that differs.
    return Object.create(tool, { _call: { value: _call } }) as Tool;
  });
}
