import protobuf from 'protobufjs/light.js';

/** The text that base64 encodes; `atob` and `Buffer` are not available in every runtime. Empty if it is none. */
export function textOfBase64(base64: string): string {
  try {
    const bytes = new Uint8Array(protobuf.util.base64.length(base64));
    protobuf.util.base64.decode(base64, bytes, 0);
    return protobuf.util.utf8.read(bytes, 0, bytes.length);
  } catch {
    return '';
  }
}
