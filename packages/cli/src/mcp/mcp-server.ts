import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { version } from '../runtime/installation.ts';
import type { ApiClient } from '../server/api-client.ts';
import { explainIncident, listIncidents } from './incident-tools.ts';
import { checkForLoop } from './loop-tool.ts';
import { sessionCost } from './session-tool.ts';
import type { McpTool } from './tool.ts';

const tools: readonly ((client: ApiClient) => McpTool)[] = [
  checkForLoop,
  listIncidents,
  explainIncident,
  sessionCost,
];

const instructions =
  'Loopwatch watches AI agents and detects when they loop. Use check_for_loop when your own recent calls may be going in ' +
  'circles; the other tools say which agents loop, why, and what it costs. All tools are read-only.';

/** An MCP server whose tools read from a running Loopwatch server. */
export function mcpServer(client: ApiClient): McpServer {
  const server = new McpServer({ name: 'loopwatch', title: 'Loopwatch', version }, { instructions });
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  for (const create of tools) {
    const { name, title, description, input, output, run } = create(client);
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output, annotations },
      // The SDK answers with the message of an error, as the result of a failed call.
      async (given: unknown) => {
        const { text, data } = await run(given);
        return { content: [{ type: 'text', text }], structuredContent: data };
      },
    );
  }
  return server;
}
