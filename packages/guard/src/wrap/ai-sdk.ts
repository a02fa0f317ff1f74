import { type CallGate, runGuarded } from './run-guarded.ts';

interface AiTool {
  readonly execute?: unknown;
}

/** A tool without `execute` runs elsewhere, and is left as it is. */
export function guardAiTools<Tools extends Readonly<Record<string, object>>>(
  gate: CallGate,
  tools: Tools,
): Tools {
  const guarded = Object.entries(tools).map(([name, tool]) => {
    const { execute } = tool as AiTool;
    if (typeof execute !== 'function') return [name, tool];
    const run = (args: unknown, ...more: unknown[]): unknown =>
      runGuarded(gate, { name, args }, () => Reflect.apply(execute, tool, [args, ...more]) as unknown);
    return [name, { ...tool, execute: run }];
  });
  return Object.fromEntries(guarded) as Tools;
}
