import { messageOf } from '@loopwatch/contract';
import { type LogFunction, within } from '@loopwatch/platform';
import { TokenError } from './token-error.ts';
import { createTokenSource, type TokenSource } from './token-source.ts';

/** The part of AWS's package that is used; it brings 29 MB of the AWS SDK, so that users of MSK install it themselves. */
export interface MskSigner {
  /** Signs with the credentials of AWS's default chain: environment, profile, web identity, container, instance. */
  generateAuthToken(options: { readonly region: string }): Promise<{
    readonly token: string;
    /** Epoch milliseconds. */
    readonly expiryTime: number;
  }>;
}

const SIGNER = 'aws-msk-iam-sasl-signer-js';
/** The chain may ask other services for credentials. */
const SIGN_MS = 8_000;

/** Tokens for the OAUTHBEARER listener of an Amazon MSK cluster with IAM authentication. */
export function mskIamTokens(
  region: string,
  log?: LogFunction,
  load: () => Promise<MskSigner> = loadSigner,
): TokenSource {
  return createTokenSource(
    async (now) => {
      const signer = await load();
      const late = () => new Error(`no credentials within ${String(SIGN_MS / 1000)} seconds`);
      try {
        const { token, expiryTime } = await within(signer.generateAuthToken({ region }), SIGN_MS, late);
        return { value: token, expiresAt: now() + expiryTime - Date.now() };
      } catch (error) {
        throw new TokenError(
          `No access token for Amazon MSK in ${region}: ${messageOf(error)}`,
          'Check the AWS credentials of this process, and kafka.sasl.aws.region.',
        );
      }
    },
    log === undefined ? {} : { log },
  );
}

async function loadSigner(): Promise<MskSigner> {
  try {
    return (await import(SIGNER)) as MskSigner;
  } catch (error) {
    throw new TokenError(
      `The mechanism AWS_MSK_IAM requires the package ${SIGNER} (${messageOf(error).split('\n')[0] ?? ''})`,
      `Install it beside Loopwatch: npm install ${SIGNER}@1.`,
    );
  }
}
