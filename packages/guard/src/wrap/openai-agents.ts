import { type CallGate, runGuarded } from './run-guarded.ts';

interface AgentsTool {
  readonly type?: string;
  readonly name: string;
  readonly invoke?: unknown;
}

/** What `toolUseBehavior` answers. */
export type AgentsToolResult =
  | { readonly isFinalOutput: false; readonly isInterrupted: undefined }
  | { readonly isFinalOutput: true; readonly isInterrupted: undefined; readonly finalOutput: string };

/** Hosted tools run at the provider, and are left as they are. */
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
