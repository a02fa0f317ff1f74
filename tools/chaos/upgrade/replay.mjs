// Run by the version whose folder it gets, with the conditions of its sources: `replay.mjs <folder> <input> <output>`. Writes what this
// version finds in the records.
import { readFileSync, writeFileSync } from 'node:fs';

const [, , root, input, output] = process.argv;
const { expectedResults } = await import(`${root}/tools/chaos/expected.ts`);
const { detectionSettings, settingsSchema } = await import(`${root}/packages/contract/src/index.ts`);
const { topic, records, settings } = JSON.parse(readFileSync(input, 'utf8'));
const found = await expectedResults(topic, records, detectionSettings(settingsSchema.parse(settings)));
writeFileSync(output, JSON.stringify(found));
