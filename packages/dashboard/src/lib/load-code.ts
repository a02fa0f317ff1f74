/** The code of a page could not be loaded: the server is unavailable, or was upgraded and has other files. */
export class CodeError extends Error {
  override readonly name = 'CodeError';
}

/** Delays before the retries. */
const PAUSES_MS = [300, 1_000];
const KEY = 'loopwatch.reloaded';
/** Minimum time between two reloads for missing code. */
const RELOAD_PAUSE_MS = 60_000;

/**
 * Imports a lazy chunk, with retries.
 *
 * @throws CodeError if all attempts fail. Browsers may cache a failed import, so only a reload helps then
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

/** Whether the server serves the dashboard now. */
export async function isServerThere(): Promise<boolean> {
  try {
    // Not /healthz, which succeeds before the server has pages to serve.
    const response = await fetch('/', { method: 'HEAD', cache: 'no-store' });
    return response.ok;
  } catch {
    return false;
  }
}

/** Reloads the page, unless it was just reloaded for the same reason. @returns whether it reloads */
export function reloadForCode(): boolean {
  const now = Date.now();
  if (now - Number(sessionStorage.getItem(KEY) ?? 0) < RELOAD_PAUSE_MS) return false;
  sessionStorage.setItem(KEY, String(now));
  window.location.reload();
  return true;
}
