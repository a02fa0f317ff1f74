import { fileURLToPath } from 'node:url';

/** What lies beside this package in the repository. */
export const dashboardDir = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));
export const samplesDir = fileURLToPath(new URL('../../../../samples', import.meta.url));
/** The command itself, for processes that it starts. */
export const commandFile = fileURLToPath(new URL('../../bin/loopwatch.js', import.meta.url));
