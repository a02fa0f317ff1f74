import { environmentName } from '@loopwatch/contract/internal';

/** Settings of detection that are fixed for a process's lifetime, for all sessions; a path below them is, too. */
const OF_DETECTION =
  /^(?:session|privacy|overrides)(?:\.|$)|^semantic\.(?:second_opinion|max_concurrent|per_minute|per_session|timeout_seconds|max_characters)$/;
/** The same of all other settings, which the library does not have. */
const OF_OTHERS = /^(?:kafka|llm|worker|server|notifications|gateway|storage|log)(?:\.|$)/;

/** Whether a setting of detection is fixed for the process's lifetime. */
export function isOfProcess(path: string): boolean {
  return OF_DETECTION.test(path);
}

/**
 * Why a setting cannot be set for a scope, and where it can; undefined for a setting that does not belong to the
 * process.
 */
export function belongsToProcess(path: string): string | undefined {
  if (!isOfProcess(path) && !OF_OTHERS.test(path)) return undefined;
  return `${path} belongs to the process and cannot be set while it runs: set it in its file, by ${environmentName(path)} or by --set ${path}=…`;
}
