import type { ToolCall } from '../api/conversation.ts';

/** Calls whose tools are known when their results come. */
const MOST_TOOLS = 256;

/** The tools of a session's latest calls, by the call's id. */
export class CallTools {
  private readonly tools = new Map<string, string>();

  note({ id, name }: Pick<ToolCall, 'id' | 'name'>): void {
    if (id === null) return;
    this.tools.delete(id);
    this.tools.set(id, name);
    const [oldest] = this.tools.keys();
    if (this.tools.size > MOST_TOOLS && oldest !== undefined) this.tools.delete(oldest);
  }

  of(callId: string | null): string | undefined {
    return this.tools.get(callId ?? '');
  }

  snapshot(): [string, string][] {
    return [...this.tools];
  }

  restore(tools: Iterable<readonly [string, string]>): void {
    for (const [id, tool] of tools) this.tools.set(id, tool);
  }
}
