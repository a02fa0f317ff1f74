import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';

/** Texts for browsers to keep that no one else can have made, each for one purpose and a while. */
export class CookieSigner {
  private readonly key: Buffer;
  private readonly now: () => number;

  /** @param now wall clock, epoch ms */
  constructor(secret: string, now: () => number) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'loopwatch session', 32));
    this.now = now;
  }

  seal(purpose: string, content: object, forMs: number): string {
    const text = Buffer.from(JSON.stringify({ content, until: this.now() + forMs })).toString('base64url');
    return `${text}.${this.sign(purpose, text)}`;
  }

  /** @returns undefined when it was not sealed here, for something else, or too long ago */
  open<Schema extends z.ZodType>(
    purpose: string,
    sealed: string,
    schema: Schema,
  ): z.infer<Schema> | undefined {
    const [text = '', signature = ''] = sealed.split('.');
    const expected = Buffer.from(this.sign(purpose, text));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { content, until } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as {
      content: unknown;
      until: number;
    };
    const parsed = schema.safeParse(content);
    return parsed.success && until > this.now() ? parsed.data : undefined;
  }

  private sign(purpose: string, text: string): string {
    return createHmac('sha256', this.key).update(`${purpose}.${text}`).digest('base64url');
  }
}
