import { Transform } from 'node:stream';

const MAX_KEY_UNITS = 64;
const key = /"(?:messages|input|contents)"\s*:/;

/** Lets a body through as it comes. @param onFound told once, where it has a key that requests to models have */
export function scanForQuestion(onFound: () => void): Transform {
  let tail = '';
  let found = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!found) {
        const text = tail + chunk.toString('latin1');
        found = key.test(text);
        if (found) onFound();
        tail = text.slice(-MAX_KEY_UNITS);
      }
      done(null, chunk);
    },
  });
}
