import type { Logger } from 'pino';

const shortest = 16;

/** The API tokens from the environment; warns of a short one. */
export function accessTokens(
  logger: Logger,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): { readonly operator: string | undefined; readonly viewer: string | undefined } {
  const read = (name: string): string | undefined => {
    const token = environment[name]?.trim();
    if (token === undefined || token === '') return undefined;
    if (token.length < shortest) {
      logger.warn(
        `${name} has only ${String(token.length)} characters: generate one that cannot be guessed, for example with \`openssl rand -hex 32\``,
      );
    }
    return token;
  };
  return { operator: read('LOOPWATCH_API_TOKEN'), viewer: read('LOOPWATCH_VIEWER_TOKEN') };
}
