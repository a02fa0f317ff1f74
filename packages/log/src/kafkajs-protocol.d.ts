// Parts of kafkajs that its own types leave out.
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

declare module 'kafkajs/src/protocol/error.js' {
  const errors: { createErrorFromCode(code: number): Error & { readonly type: string } };
  export default errors;
}
