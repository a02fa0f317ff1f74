import { messageOf } from '@loopwatch/contract';
import type { Mechanism } from 'kafkajs';
import { TokenError } from './token-error.ts';
import type { TokenSource } from './token-source.ts';

const SEPARATOR = '\u0001';
const SIZE_BYTES = 4;

/**
 * SASL OAUTHBEARER (RFC 7628). The implementation of kafkajs ignores the first answer, in which a broker rejects a token, so
 * that the next request would fail without a reason.
 *
 * @param extensions sent with each login (KIP-342), by name
 */
export function bearerLogin(
  tokens: TokenSource,
  extensions: Readonly<Record<string, string>> = {},
): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ host, port, logger, saslAuthenticate }) => ({
      authenticate: async () => {
        try {
          const token = await tokens.token();
          const send = async (message: string) => {
            try {
              return await saslAuthenticate({ request: sized(message), response: text });
            } catch (error) {
              if (!isRejection(error)) throw error;
              tokens.discard(token);
              throw new TokenError(
                `The broker rejected the access token (${messageOf(error)})`,
                'Check that the listener accepts its issuer, audience and scope, and that its user may connect.',
              );
            }
          };
          const fields = Object.entries(extensions).map(([name, value]) => `${SEPARATOR}${name}=${value}`);
          const refusal = await send(
            `n,,${SEPARATOR}auth=Bearer ${token}${fields.join('')}${SEPARATOR}${SEPARATOR}`,
          );
          // A broker that rejects the token says so, and closes the login with an error after this message.
          if (refusal !== undefined && refusal !== '') await send(SEPARATOR);
        } catch (error) {
          const advice = error instanceof TokenError ? error.advice : undefined;
          logger.error(messageOf(error), { broker: `${host}:${port}`, advice });
          throw error;
        }
      },
    }),
  };
}

/** Whether the broker answered, and the answer is an error. */
function isRejection(error: unknown): boolean {
  return error instanceof Error && error.name === 'KafkaJSProtocolError';
}

function sized(message: string) {
  const bytes = Buffer.from(message);
  const size = Buffer.alloc(SIZE_BYTES);
  size.writeInt32BE(bytes.length);
  return { encode: () => Buffer.concat([size, bytes]) };
}

const text = {
  decode: (answer: Buffer) => answer.subarray(SIZE_BYTES),
  parse: (bytes: Buffer) => bytes.toString(),
};
