import { join } from 'node:path';
import { startServer } from '../../packages/server/test/running-server.ts';
import { newLoop, sampleVerdicts } from './samples.ts';

/**
 * A server with the built dashboard over a log in memory: `node --import tsx e2e/support/server.ts [port] [empty]`. It
 * sends `{url}` to its parent, which may request one more loop by sending `{loop: id}`.
 */
const [port = '0', filling] = process.argv.slice(2);
const root = join(import.meta.dirname, '../..');
const { url, log, server } = await startServer({
  port: Number(port),
  dashboardDir: join(root, 'packages/dashboard/dist'),
});
if (filling !== 'empty') for (const verdict of sampleVerdicts(Date.now())) log.appendVerdict(verdict);

process.on('message', (message: { loop?: string }) => {
  for (const verdict of newLoop(message.loop ?? 'i-new', Date.now())) log.appendVerdict(verdict);
});
process.on('disconnect', () => void server.stop());
process.send?.({ url });
console.log(url);
