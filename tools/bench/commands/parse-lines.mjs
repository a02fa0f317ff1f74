// What `scan` is compared with: reads each file of a folder and parses its lines, nothing else.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
for (const file of readdirSync(folder)) {
  for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) if (line !== '') JSON.parse(line);
}
