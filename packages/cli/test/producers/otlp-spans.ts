import { traced } from './opentelemetry.ts';

/** Exports the spans of a tool that runs again and again, by the GenAI conventions. */
const [url = '', session = '', calls, encoding = '', grpcUrl = url] = process.argv.slice(2);

await traced(grpcUrl, encoding, (tracer) => {
  for (let call = 0; call < Number(calls); call += 1) {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.conversation.id': session,
      'gen_ai.tool.name': 'read_file',
      'gen_ai.tool.call.id': `call-${String(call)}`,
      'gen_ai.tool.call.arguments': '{"path":"a"}',
    };
    tracer.startActiveSpan('execute_tool read_file', { attributes }, (span) => {
      span.setAttribute('gen_ai.tool.call.result', 'an empty file');
      span.end();
    });
  }
});
