import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { PROMPT, readFile } from './agent.mjs';

const read = tool('read_file', 'Reads a file.', { path: z.string() }, async ({ path }) => ({
  content: [{ type: 'text', text: readFile(path) }],
}));
const files = createSdkMcpServer({ name: 'files', tools: [read] });
const options = {
  mcpServers: { files },
  allowedTools: ['mcp__files__read_file'],
  model: 'claude-sonnet-4-5',
  settingSources: [],
};
for await (const message of query({ prompt: PROMPT, options }))
  if (process.env.RECORDINGS_DEBUG) console.log(JSON.stringify(message).slice(0, 400));
