/** What a scan of Claude Code's records must add up to, counted from the raw lines without the product's readers. */
export function countClaudeCode(lines: readonly string[]): { calls: number; tokens: number } {
  const calls = new Set<string>();
  const tokens = new Map<string, number>();
  for (const line of lines) {
    const record = JSON.parse(line) as { type?: string; message?: Message; data?: { message?: Wrapped } };
    const message = record.type === 'progress' ? record.data?.message?.message : record.message;
    if (message?.role !== 'assistant') continue;
    const content = Array.isArray(message.content) ? message.content : [];
    for (const { type, id } of content) if (type === 'tool_use' && id !== undefined) calls.add(id);
    // A response is written as several records, one per content block, each with the usage so far.
    if (message.usage !== undefined && message.id !== undefined)
      tokens.set(message.id, tokenCount(message.usage));
  }
  return { calls: calls.size, tokens: [...tokens.values()].reduce((sum, count) => sum + count, 0) };
}

interface Wrapped {
  readonly message?: Message;
}

interface Message {
  readonly id?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly type: string; readonly id?: string }[];
  readonly usage?: Readonly<Record<string, unknown>>;
}

const counted = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const;

function tokenCount(usage: Readonly<Record<string, unknown>>): number {
  return counted.reduce((sum, name) => sum + (Number(usage[name]) || 0), 0);
}
