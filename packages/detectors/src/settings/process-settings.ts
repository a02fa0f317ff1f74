import { environmentName } from '@loopwatch/contract/internal';

/** Settings fixed for a process's lifetime, for all sessions. */
const OF_THE_PROCESS =
  /^(?:kafka|llm|worker|server|notifications|gateway|storage|log|session|privacy|overrides)(?:\.|$)|^semantic\.(?:second_opinion|max_concurrent|per_minute|per_session|timeout_seconds|max_characters)$/;

/** Whether a setting is fixed for the process's lifetime; a path below it is, too. */
export function isOfProcess(path: string): boolean {
  return OF_THE_PROCESS.test(path);
}

/**
 * Why a setting cannot be set for a scope, and where it can; undefined for a setting that does not belong to the
 * process.
 */
export function belongsToProcess(path: string): string | undefined {
  if (!isOfProcess(path)) return undefined;
  return `${path} belongs to the process and cannot be set while it runs: set it in its file, by ${environmentName(path)} or by --set ${path}=…`;
}
