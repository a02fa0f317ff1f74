import { fileURLToPath } from 'node:url';

/** Folders outside this package. */
export const dashboardDir = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));
export const samplesDir = fileURLToPath(new URL('../../../../samples', import.meta.url));
/** The command itself, for the processes it starts. */
export const commandFile = fileURLToPath(new URL('../../bin/loopwatch.js', import.meta.url));
