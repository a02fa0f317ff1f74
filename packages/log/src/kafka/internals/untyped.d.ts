// Parts of kafkajs that its own types do not declare.
declare module 'kafkajs/src/protocol/requests/fetch/v11/request.js' {
  interface FetchRequest {
    readonly replicaId: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly isolationLevel: number;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly fetchOffset: string;
        readonly maxBytes: number;
      }[];
    }[];
  }
  const encode: (request: FetchRequest) => object;
  export default encode;
}

declare module 'kafkajs/src/protocol/requests/heartbeat/index.js' {
  const api: { readonly protocol: (version: { readonly version: number }) => (request: object) => unknown };
  export default api;
}

declare module 'kafkajs/src/protocol/requests/joinGroup/index.js' {
  export { default } from 'kafkajs/src/protocol/requests/heartbeat/index.js';
}

declare module 'kafkajs/src/protocol/requests/syncGroup/index.js' {
  export { default } from 'kafkajs/src/protocol/requests/heartbeat/index.js';
}

declare module 'kafkajs/src/protocol/error.js' {
  const errors: { readonly createErrorFromCode: (code: number) => Error & { readonly type: string } };
  export default errors;
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    writeBoolean(value: boolean): this;
    writeArray(values: readonly string[]): this;
    writeInt64(value: string): this;
    writeUVarInt(value: number): this;
    writeUVarIntString(value: string): this;
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(bytes: Buffer);
    readonly offset: number;
    readBoolean(): boolean;
    readBytes(): Buffer | null;
    readInt16(): number;
    readInt32(): number;
    readString(): string | null;
    readArray<T>(read: (decoder: Decoder) => T): T[];
    readTaggedFields(): unknown;
    readUVarInt(): number;
    readUVarIntArray<T>(read: (decoder: Decoder) => T): T[];
    readUVarIntString(): string | null;
  }
}

declare module 'kafkajs/src/network/connection.js' {
  export default class Connection {
    constructor(options: object);
    connect: () => Promise<unknown>;
    disconnect(): Promise<unknown>;
    isConnected(): boolean;
    send(call: unknown): Promise<unknown>;
  }
}

declare module 'kafkajs/src/protocol/requests/apiVersions/index.js' {
  const api: { readonly protocol: (version: { readonly version: number }) => () => unknown };
  export default api;
}

declare module 'crc-32/crc32c.js' {
  const crc32c: {
    /** The CRC-32C of the bytes, as a signed number. */
    buf(bytes: Uint8Array): number;
  };
  export default crc32c;
}
