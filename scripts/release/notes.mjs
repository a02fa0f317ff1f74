// Prints the release notes of the current version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../pack/published.mjs';
import { releaseNotes } from './changelog.mjs';

console.log(releaseNotes(readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8'), version));
