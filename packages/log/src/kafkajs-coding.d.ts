// How kafkajs writes requests and reads answers; its own types leave both out.
declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    writeBoolean(value: boolean): this;
    writeArray(values: readonly string[]): this;
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(bytes: Buffer);
    readBoolean(): boolean;
    readBytes(): Buffer | null;
    readInt16(): number;
    readInt32(): number;
    readString(): string | null;
    readArray<T>(read: (decoder: Decoder) => T): T[];
  }
}
