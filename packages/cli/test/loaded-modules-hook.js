import { writeSync } from 'node:fs';

/**
 * @param {string} url
 * @param {import('node:module').LoadHookContext} context
 * @param {Parameters<import('node:module').LoadHook>[2]} next
 */
export function load(url, context, next) {
  writeSync(2, `module ${url}\n`);
  return next(url, context);
}
