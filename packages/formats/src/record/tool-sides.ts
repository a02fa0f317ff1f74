import { remember } from './remember.ts';

/** Where a span of a tool was made: by the agent, or by a client or server of MCP between it and the tool. */
export const sides = ['agent', 'client', 'server'] as const;

interface ToolSpan {
  readonly name: string;
  readonly side: (typeof sides)[number];
  readonly hasArgs: boolean;
}

/** Tools to remember of a trace. */
const MAX_TOOLS = 100;

/** The spans of tools by trace: an agent, a client and a server of MCP each report a call, with other spans such as of HTTP between. */
export class ToolSides {
  readonly #maxTraces: number;
  readonly #traces = new Map<string, Map<string, ToolSpan>>();

  constructor(maxTraces: number) {
    this.#maxTraces = maxTraces;
  }

  learn(traceId: string, tool: ToolSpan): void {
    const tools = this.#traces.get(traceId) ?? new Map<string, ToolSpan>();
    remember(this.#traces, traceId, tools, this.#maxTraces);
    remember(tools, JSON.stringify([tool.name, tool.side, tool.hasArgs]), tool, MAX_TOOLS);
  }

  /** Whether the side that makes such a call reports it as well, with no less of its arguments. */
  isReported(traceId: string, { name, side, hasArgs }: ToolSpan): boolean {
    return [...(this.#traces.get(traceId)?.values() ?? [])].some(
      (other) =>
        sides.indexOf(other.side) < sides.indexOf(side) &&
        (other.hasArgs || !hasArgs) &&
        isSameTool(other.name, name),
    );
  }
}

/** Agents put the name of a server before those of its tools. */
function isSameTool(ofCaller: string, name: string): boolean {
  return ofCaller.endsWith(name) && /(?:^|[\W_])$/.test(ofCaller.slice(0, ofCaller.length - name.length));
}
