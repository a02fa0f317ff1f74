// Loaded before a command: tells on exit what it used, as JSON in the file that BENCH_USAGE names.
import { writeFileSync } from 'node:fs';

const start = process.cpuUsage();
process.once('exit', () => {
  const { user, system } = process.cpuUsage(start);
  const residentBytes = process.resourceUsage().maxRSS * 1024;
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ cpuMs: (user + system) / 1000, residentBytes }));
});
