/** Reads Kafka's zigzag varints, up to 53 bits of them. */
export class Cursor {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Passes over a field that begins with its length; a negative one stands for null. */
  skipField(): void {
    const length = this.varint();
    if (length > 0) this.at += length;
  }

  /** @throws RangeError at the end of the bytes */
  varint(): number {
    const bytes = this.#bytes;
    if (this.at >= bytes.length) throw new RangeError('a record ends in the middle of a number');
    let byte = bytes[this.at++] as number;
    if (byte < 0x80) return (byte >>> 1) ^ -(byte & 1);
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = bytes[this.at++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    // Beyond what bitwise operators hold: timestamps far from their batch's first.
    for (let scale = 2 ** 28; scale < 2 ** 63; scale *= 128) {
      byte = bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new RangeError('a number in a record has no end');
  }
}
