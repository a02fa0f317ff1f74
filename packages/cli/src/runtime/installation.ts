import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const manifest = new URL('../../package.json', import.meta.url);

/** The version of this installation. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;

/** Folders outside this package. */
export const dashboardDir = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));
export const samplesDir = fileURLToPath(new URL('../../../../samples', import.meta.url));
/** The command itself, to start further processes. */
export const commandFile = fileURLToPath(new URL('../../bin/loopwatch.js', import.meta.url));
