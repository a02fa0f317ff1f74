// An agent that loops. Without an option its loop is watched; with `--stop` it is ended.
import { createGuard } from '@loopwatch/guard';

/** Stands in for a model, so that the example needs no API key: it asks again for what it cannot find. */
const nextCall = (): { name: string; args: { order: string } } => ({
  name: 'find_order',
  args: { order: '4711' },
});
const findOrder = ({ order }: { order: string }): Promise<string> => Promise.resolve(`No order ${order}.`);

const url = process.env['LOOPWATCH_URL'] ?? 'http://localhost:4600';
const guard = createGuard({
  mode: process.argv.includes('--stop') ? 'stop' : 'watch',
  server: { url },
  agent: 'order-desk',
});
guard.prompt('Where is my order 4711?');
const find = guard.tool('find_order', findOrder);
for (let turn = 1; turn <= 20 && !guard.stopped; turn += 1) {
  const { name, args } = nextCall();
  console.log(`${String(turn)}. ${name}(${args.order}): ${await find(args)}`);
}
if (guard.stopped) console.log(`Ended: ${guard.reason ?? ''}`);
await guard.close();
console.log(`See ${url}/sessions`);
