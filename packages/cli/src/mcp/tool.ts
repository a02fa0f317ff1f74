import * as z from 'zod';

/** A tool of the MCP server. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  /** For the model: what it returns, and when to use it. */
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** @param given what the input schema accepts @throws Error whose message the model reads */
  readonly run: (given: unknown) => Promise<ToolResult>;
}

/** The same in two forms: for people and models to read, and by the output schema. */
export interface ToolResult {
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** Types what a tool receives and returns by its schemas. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType<Record<string, unknown>>>(
  tool: Omit<McpTool, 'run' | 'input' | 'output'> & {
    readonly input: Input;
    readonly output: Output;
    readonly run: (
      given: z.output<Input>,
    ) => Promise<{ readonly text: string; readonly data: z.input<Output> }>;
  },
): McpTool {
  return {
    ...tool,
    run: async (given) => {
      const { text, data } = await tool.run(tool.input.parse(given));
      return { text, data: data as Record<string, unknown> };
    },
  };
}

export const costSchema = z.object({
  calls: z.int(),
  tokens: z.number().nullable().describe('null if the agent reports no usage.'),
  usd: z.number().nullable().describe('US dollars; null if the usage or the price of the model is unknown.'),
});
export const timeSchema = z.iso.datetime();

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
