import * as z from 'zod';

const text = z.string().min(1).optional();

/** Where the schemas of `kafka.sources` come from. */
export const schemaRegistrySettings = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }).optional(),
    username: text,
    password: text,
    password_file: text,
  })
  .superRefine(({ url, username, password, password_file: file }, context) => {
    const reject = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    const secret = password ?? file;
    if (url === undefined && (username ?? secret) !== undefined) reject('url', 'is required with a login');
    if (/^[^/]*\/\/[^/]*@/.test(url ?? ''))
      reject('url', 'must not contain a login: set username and password');
    if ((username === undefined) !== (secret === undefined))
      reject('username', 'and password (or password_file) must be set together');
    if (password !== undefined && file !== undefined)
      reject('password', 'and password_file are both set: set only one of them');
  });
