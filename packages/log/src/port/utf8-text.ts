/** The text of bytes, without the byte order mark that some producers put at the beginning. */
export function utf8Text(bytes: Buffer, from = 0, to = bytes.length): string {
  const hasMark =
    to - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf;
  return bytes.toString('utf8', hasMark ? from + 3 : from, to);
}
