/** The code of a page could not be fetched: the server is unavailable, or was upgraded and names its files differently. */
export class CodeError extends Error {
  override readonly name = 'CodeError';
}

/** Before each further attempt. */
const PAUSES_MS = [300, 1_000];
const KEY = 'loopwatch.reloaded';
/** A page that was reloaded for its code is not reloaded for it again so soon. */
const RELOAD_PAUSE_MS = 60_000;

/**
 * Imports code that is loaded when it is needed, with some attempts.
 *
 * @throws CodeError when none succeeds. Browsers may remember a failed import, so only a reload helps then
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const pause of [...PAUSES_MS, undefined]) {
    try {
      const module = await load();
      sessionStorage.removeItem(KEY);
      return module;
    } catch (cause) {
      if (pause === undefined) throw new CodeError('Could not load the code of this page.', { cause });
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  throw new CodeError('No attempt was made');
}

/** Whether the server hands out the dashboard at this moment. */
export async function isServerThere(): Promise<boolean> {
  try {
    // Its health is well before it has pages to hand out.
    const response = await fetch('/', { method: 'HEAD', cache: 'no-store' });
    return response.ok;
  } catch {
    return false;
  }
}

/** Reloads the page for its code, unless that was just done and did not help. @returns whether it does */
export function reloadForCode(): boolean {
  const now = Date.now();
  if (now - Number(sessionStorage.getItem(KEY) ?? 0) < RELOAD_PAUSE_MS) return false;
  sessionStorage.setItem(KEY, String(now));
  window.location.reload();
  return true;
}
