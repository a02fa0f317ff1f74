// Loaded into each worker with `--import`: shifts its wall clock, and fills the disk of its log, as the file CHAOS_STATE says at the
// start and at each SIGWINCH. The monotonic clock stays right, as when an operator or a time server sets a real clock.
import fs, { readFileSync } from 'node:fs';

const read = () => JSON.parse(readFileSync(process.env.CHAOS_STATE, 'utf8'));
let { clockMs, isDiskFull } = read();
process.on('SIGWINCH', () => {
  ({ clockMs, isDiskFull } = read());
});

const realNow = Date.now;
Date.now = () => realNow() + clockMs;
globalThis.Date = new Proxy(Date, {
  construct: (date, values, target) =>
    Reflect.construct(date, values.length === 0 ? [date.now()] : values, target),
});

const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const { write, writeSync } = fs;
fs.write = (fd, ...rest) => {
  if (isDiskFull && fd === 1) setImmediate(rest.at(-1), noSpace());
  else write(fd, ...rest);
};
fs.writeSync = (fd, ...rest) => {
  if (isDiskFull && fd === 1) throw noSpace();
  return writeSync(fd, ...rest);
};
