/** The folder of this package: above `src`, above `dist`, and above the bundle of the published package. */
export const packageRoot = new URL('../', import.meta.url);
