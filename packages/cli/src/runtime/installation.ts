import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../package-root.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(name, packageRoot));

/** The version of this installation. */
export const { version } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as {
  readonly version: string;
};

/** The published package contains the pages and the samples; in the repository they are outside this package. */
const isPublished = existsSync(pathOf('dashboard'));
export const dashboardDir = pathOf(isPublished ? 'dashboard' : '../dashboard/dist');
export const samplesDir = pathOf(isPublished ? 'samples' : '../../samples');
/** The command itself, to start further processes. */
export const commandFile = pathOf('bin/loopwatch.js');
