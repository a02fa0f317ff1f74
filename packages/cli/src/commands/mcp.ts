import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';
import { mcpServer } from '../mcp/mcp-server.ts';
import { print } from '../runtime/output.ts';
import { ApiClient, type ServerOptions, serverOptions } from '../server/api-client.ts';
import { describedCommand } from './summaries.ts';

interface McpOptions extends ServerOptions {
  readonly http?: true;
  readonly port?: number;
}

const DEFAULT_PORT = 4620;

/** `loopwatch mcp`: lets agents ask a running server about loops, by the Model Context Protocol. */
export function mcpCommand(): Command {
  const command = describedCommand('mcp')
    .option('--http', 'listen on 127.0.0.1 (streamable HTTP) instead of using stdin and stdout')
    .option('--port <n>', `with --http: port to listen on (default: ${String(DEFAULT_PORT)})`, parsePort);
  for (const option of serverOptions) command.addOption(option);
  return command.action(serve);
}

async function serve({ http, port, ...server }: McpOptions): Promise<void> {
  const client = new ApiClient(server);
  const create = () => mcpServer(client);
  if (http !== true) {
    if (port !== undefined) throw new UsageError('--port needs --http: without it, nothing listens');
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    const transport = new StdioServerTransport();
    transport.onerror = answerUnreadable;
    // Ends when its client closes stdin.
    await create().connect(transport);
    return;
  }
  const { listenForMcp } = await import('../mcp/listen-for-mcp.ts');
  const { url, stop } = await listenForMcp(create, port ?? DEFAULT_PORT);
  print(`The MCP server of Loopwatch is at ${url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
}

/** Answers a line that is no message, whose id is unknown: its sender would wait. */
function answerUnreadable({ name }: Error): void {
  const error =
    name === 'SyntaxError'
      ? { code: -32_700, message: 'Parse error: a line must be one message in JSON' }
      : { code: -32_600, message: 'Invalid request: not a message of JSON-RPC 2.0' };
  if (name === 'SyntaxError' || name === 'ZodError')
    print(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && text.trim() !== '') return port;
  throw new InvalidArgumentError('Expected a port, 0 to 65535; 0 chooses a free one.');
}
