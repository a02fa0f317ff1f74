/** The encodings that a byte order mark names, in hexadecimal. */
const encodings = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);

/** The encoding of a text that begins with these bytes: UTF-8, or UTF-16, as PowerShell 5 writes it to files. */
export function encodingOf(bytes: Buffer): string {
  return encodings.get(bytes.toString('hex', 0, 2)) ?? 'utf-8';
}
