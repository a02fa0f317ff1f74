import { isDenial } from '@loopwatch/detectors/internal';
import { GraphStep } from './graph-step.ts';
import { type CallGate, runGuarded } from './run-guarded.ts';

/* Wrappers for the tools of agent SDKs. They return copies; the original tools stay unguarded. */

interface AiTool {
  readonly execute?: unknown;
  readonly toModelOutput?: unknown;
}

/** Guards tools of the Vercel AI SDK. A tool without `execute` runs elsewhere and is returned unchanged. */
export function guardAiTools<Tools extends Readonly<Record<string, object>>>(
  gate: CallGate,
  tools: Tools,
): Tools {
  const guarded = Object.entries(tools).map(([name, tool]) => {
    const { execute, toModelOutput } = tool as AiTool;
    if (typeof execute !== 'function') return [name, tool];
    const run = (args: unknown, ...more: unknown[]): unknown =>
      runGuarded(gate, { name, args }, () => Reflect.apply(execute, tool, [args, ...more]) as unknown);
    if (typeof toModelOutput !== 'function') return [name, { ...tool, execute: run }];
    // It knows the tool's own results only, no denials.
    const convert = (given: unknown): unknown => {
      // Version 5 passes the result itself.
      const result = (given as { readonly output?: unknown } | null | undefined)?.output ?? given;
      return isDenial(result)
        ? { type: 'text', value: result }
        : (Reflect.apply(toModelOutput, tool, [given]) as unknown);
    };
    return [name, { ...tool, execute: run, toModelOutput: convert }];
  });
  return Object.fromEntries(guarded) as Tools;
}

interface LangChainTool {
  readonly name: string;
  readonly responseFormat?: string;
  readonly _call?: unknown;
}

interface CallConfig {
  readonly toolCall?: { readonly id?: string };
}

/** Guards tools of LangChain, which still parses their input and formats their results. */
export function guardLangChainTools<Tool extends object>(
  gate: CallGate,
  tools: readonly Tool[],
  step = new GraphStep(),
): Tool[] {
  return tools.map((tool) => {
    const { name, responseFormat, _call: call } = tool as LangChainTool;
    if (typeof call !== 'function') return tool;
    const _call = async (args: unknown, ...more: [unknown, CallConfig?]): Promise<unknown> => {
      const state = { hasRun: false };
      // Parallel calls may start before this one returns.
      gate.isAsync = true;
      const result = await runGuarded(step.gate(gate, more[1]?.toolCall?.id), { name, args }, () => {
        state.hasRun = true;
        return Reflect.apply(call, tool, [args, ...more]) as unknown;
      });
      const needsArtifact = !state.hasRun && responseFormat === 'content_and_artifact';
      return needsArtifact ? [result, undefined] : result;
    };
    // The copy stays an instance of the tool's class and overrides only this method.
    return Object.create(tool, { _call: { value: _call } }) as Tool;
  });
}

interface AgentsTool {
  readonly type?: string;
  readonly name: string;
  readonly invoke?: unknown;
}

/** The return value of `toolUseBehavior`. */
export type AgentsToolResult =
  | { readonly isFinalOutput: false; readonly isInterrupted: undefined }
  | { readonly isFinalOutput: true; readonly isInterrupted: undefined; readonly finalOutput: string };

/** Guards function tools of the OpenAI Agents SDK. Hosted tools run at the provider and are returned unchanged. */
export function guardAgentsTools<Tool extends object>(gate: CallGate, tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const { type, name, invoke } = tool as AgentsTool;
    if (type !== 'function' || typeof invoke !== 'function') return tool;
    const run = async (context: unknown, args: unknown, ...more: unknown[]): Promise<unknown> =>
      await runGuarded(
        gate,
        { name, args },
        () => Reflect.apply(invoke, tool, [context, args, ...more]) as unknown,
      );
    return { ...tool, invoke: run };
  });
}
