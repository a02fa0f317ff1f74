/**
 * Export requests as the OpenTelemetry Collector writes them to Kafka, in the encodings `otlp_proto` and `otlp_json`: bytes,
 * in base64, of its own encoder (pdata 1.71.0). In protobuf it writes the fields of a message from the last to the first. The
 * spans are three calls of `read_file` with the same arguments in the conversation `conv-1`; the logs are three of Claude
 * Code's `tool_result` in the session `s-1`.
 */
export const collectorRequests = {
  traces: {
    otlp_proto: bytes(
      'Co0IEuYHErwCegBKJxIOCgxleGVjdXRlX3Rvb2wKFWdlbl9haS5vcGVyYXRpb24ubmFtZUoiEggKBmNvbnYtMQoWZ2VuX2FpLmNvbnZlcnNhdG' +
        'lvbi5pZEofEgsKCXJlYWRfZmlsZQoQZ2VuX2FpLnRvb2wubmFtZUofEggKBmNhbGwtMQoTZ2VuX2FpLnRvb2wuY2FsbC5pZEozEhUKE3sicGF0' +
        'aCI6Im5vdGVzLm1kIn0KGmdlbl9haS50b29sLmNhbGwuYXJndW1lbnRzSioSDwoNYW4gZW1wdHkgZmlsZQoXZ2VuX2FpLnRvb2wuY2FsbC5yZX' +
        'N1bHRBAMpKEK3GbBg5AACw1KzGbBgwASoWZXhlY3V0ZV90b29sIHJlYWRfZmlsZSIAEggAAAAAAAAAAQoQAQIDBAUGBwgJCgsMDQ4PEBK8AnoA' +
        'SicSDgoMZXhlY3V0ZV90b29sChVnZW5fYWkub3BlcmF0aW9uLm5hbWVKIhIICgZjb252LTEKFmdlbl9haS5jb252ZXJzYXRpb24uaWRKHxILCg' +
        'lyZWFkX2ZpbGUKEGdlbl9haS50b29sLm5hbWVKHxIICgZjYWxsLTIKE2dlbl9haS50b29sLmNhbGwuaWRKMxIVChN7InBhdGgiOiJub3Rlcy5t' +
        'ZCJ9ChpnZW5fYWkudG9vbC5jYWxsLmFyZ3VtZW50c0oqEg8KDWFuIGVtcHR5IGZpbGUKF2dlbl9haS50b29sLmNhbGwucmVzdWx0QQBegIetxm' +
        'wYOQCU5UutxmwYMAEqFmV4ZWN1dGVfdG9vbCByZWFkX2ZpbGUiABIIAAAAAAAAAAIKEAECAwQFBgcICQoLDA0ODxASvAJ6AEonEg4KDGV4ZWN1' +
        'dGVfdG9vbAoVZ2VuX2FpLm9wZXJhdGlvbi5uYW1lSiISCAoGY29udi0xChZnZW5fYWkuY29udmVyc2F0aW9uLmlkSh8SCwoJcmVhZF9maWxlCh' +
        'BnZW5fYWkudG9vbC5uYW1lSh8SCAoGY2FsbC0zChNnZW5fYWkudG9vbC5jYWxsLmlkSjMSFQoTeyJwYXRoIjoibm90ZXMubWQifQoaZ2VuX2Fp' +
        'LnRvb2wuY2FsbC5hcmd1bWVudHNKKhIPCg1hbiBlbXB0eSBmaWxlChdnZW5fYWkudG9vbC5jYWxsLnJlc3VsdEEA8rX+rcZsGDkAKBvDrcZsGD' +
        'ABKhZleGVjdXRlX3Rvb2wgcmVhZF9maWxlIgASCAAAAAAAAAADChABAgMEBQYHCAkKCwwNDg8QCicKJW9wZW50ZWxlbWV0cnkuaW5zdHJ1bWVu' +
        'dGF0aW9uLmV4YW1wbGUKIgogEhAKDnJlc2VhcmNoLWFnZW50CgxzZXJ2aWNlLm5hbWU=',
    ),
    otlp_json: Buffer.from(
      JSON.stringify({
        resourceSpans: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'research-agent' } }] },
            scopeSpans: [
              {
                scope: { name: 'opentelemetry.instrumentation.example' },
                spans: [
                  {
                    traceId: '0102030405060708090a0b0c0d0e0f10',
                    spanId: '0000000000000001',
                    name: 'execute_tool read_file',
                    kind: 1,
                    startTimeUnixNano: '1760000000000000000',
                    endTimeUnixNano: '1760000001000000000',
                    attributes: [
                      { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
                      { key: 'gen_ai.conversation.id', value: { stringValue: 'conv-1' } },
                      { key: 'gen_ai.tool.name', value: { stringValue: 'read_file' } },
                      { key: 'gen_ai.tool.call.id', value: { stringValue: 'call-1' } },
                      { key: 'gen_ai.tool.call.arguments', value: { stringValue: '{"path":"notes.md"}' } },
                      { key: 'gen_ai.tool.call.result', value: { stringValue: 'an empty file' } },
                    ],
                    status: {},
                  },
                  {
                    traceId: '0102030405060708090a0b0c0d0e0f10',
                    spanId: '0000000000000002',
                    name: 'execute_tool read_file',
                    kind: 1,
                    startTimeUnixNano: '1760000002000000000',
                    endTimeUnixNano: '1760000003000000000',
                    attributes: [
                      { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
                      { key: 'gen_ai.conversation.id', value: { stringValue: 'conv-1' } },
                      { key: 'gen_ai.tool.name', value: { stringValue: 'read_file' } },
                      { key: 'gen_ai.tool.call.id', value: { stringValue: 'call-2' } },
                      { key: 'gen_ai.tool.call.arguments', value: { stringValue: '{"path":"notes.md"}' } },
                      { key: 'gen_ai.tool.call.result', value: { stringValue: 'an empty file' } },
                    ],
                    status: {},
                  },
                  {
                    traceId: '0102030405060708090a0b0c0d0e0f10',
                    spanId: '0000000000000003',
                    name: 'execute_tool read_file',
                    kind: 1,
                    startTimeUnixNano: '1760000004000000000',
                    endTimeUnixNano: '1760000005000000000',
                    attributes: [
                      { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
                      { key: 'gen_ai.conversation.id', value: { stringValue: 'conv-1' } },
                      { key: 'gen_ai.tool.name', value: { stringValue: 'read_file' } },
                      { key: 'gen_ai.tool.call.id', value: { stringValue: 'call-3' } },
                      { key: 'gen_ai.tool.call.arguments', value: { stringValue: '{"path":"notes.md"}' } },
                      { key: 'gen_ai.tool.call.result', value: { stringValue: 'an empty file' } },
                    ],
                    status: {},
                  },
                ],
              },
            ],
          },
        ],
      }),
    ),
  },
  logs: {
    otlp_proto: bytes(
      'Cs4EEqoEErUBUgBKADIbEg0KC3Rvb2xfcmVzdWx0CgpldmVudC5uYW1lMhMSBQoDcy0xCgpzZXNzaW9uLmlkMhMSBgoEQmFzaAoJdG9vbF9uYW' +
        '1lMhISBwoFZmFsc2UKB3N1Y2Nlc3MyMBIdCht7ImZ1bGxfY29tbWFuZCI6Im5wbSB0ZXN0In0KD3Rvb2xfcGFyYW1ldGVycyoZChdjbGF1ZGVf' +
        'Y29kZS50b29sX3Jlc3VsdAkAALDUrMZsGBK1AVIASgAyGxINCgt0b29sX3Jlc3VsdAoKZXZlbnQubmFtZTITEgUKA3MtMQoKc2Vzc2lvbi5pZD' +
        'ITEgYKBEJhc2gKCXRvb2xfbmFtZTISEgcKBWZhbHNlCgdzdWNjZXNzMjASHQobeyJmdWxsX2NvbW1hbmQiOiJucG0gdGVzdCJ9Cg90b29sX3Bh' +
        'cmFtZXRlcnMqGQoXY2xhdWRlX2NvZGUudG9vbF9yZXN1bHQJAMpKEK3GbBgStQFSAEoAMhsSDQoLdG9vbF9yZXN1bHQKCmV2ZW50Lm5hbWUyEx' +
        'IFCgNzLTEKCnNlc3Npb24uaWQyExIGCgRCYXNoCgl0b29sX25hbWUyEhIHCgVmYWxzZQoHc3VjY2VzczIwEh0KG3siZnVsbF9jb21tYW5kIjoi' +
        'bnBtIHRlc3QifQoPdG9vbF9wYXJhbWV0ZXJzKhkKF2NsYXVkZV9jb2RlLnRvb2xfcmVzdWx0CQCU5UutxmwYCgAKHwodEg0KC2NsYXVkZS1jb2' +
        'RlCgxzZXJ2aWNlLm5hbWU=',
    ),
    otlp_json: Buffer.from(
      JSON.stringify({
        resourceLogs: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'claude-code' } }] },
            scopeLogs: [
              {
                scope: {},
                logRecords: [
                  {
                    timeUnixNano: '1760000000000000000',
                    body: { stringValue: 'claude_code.tool_result' },
                    attributes: [
                      { key: 'event.name', value: { stringValue: 'tool_result' } },
                      { key: 'session.id', value: { stringValue: 's-1' } },
                      { key: 'tool_name', value: { stringValue: 'Bash' } },
                      { key: 'success', value: { stringValue: 'false' } },
                      { key: 'tool_parameters', value: { stringValue: '{"full_command":"npm test"}' } },
                    ],
                  },
                  {
                    timeUnixNano: '1760000001000000000',
                    body: { stringValue: 'claude_code.tool_result' },
                    attributes: [
                      { key: 'event.name', value: { stringValue: 'tool_result' } },
                      { key: 'session.id', value: { stringValue: 's-1' } },
                      { key: 'tool_name', value: { stringValue: 'Bash' } },
                      { key: 'success', value: { stringValue: 'false' } },
                      { key: 'tool_parameters', value: { stringValue: '{"full_command":"npm test"}' } },
                    ],
                  },
                  {
                    timeUnixNano: '1760000002000000000',
                    body: { stringValue: 'claude_code.tool_result' },
                    attributes: [
                      { key: 'event.name', value: { stringValue: 'tool_result' } },
                      { key: 'session.id', value: { stringValue: 's-1' } },
                      { key: 'tool_name', value: { stringValue: 'Bash' } },
                      { key: 'success', value: { stringValue: 'false' } },
                      { key: 'tool_parameters', value: { stringValue: '{"full_command":"npm test"}' } },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      }),
    ),
  },
} as const;

function bytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
