/** The supported formats of events: the values of `--format` and `?format=`. `@loopwatch/formats` implements them. */
export const formatNames = [
  'canonical',
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'openhands',
  'messages',
  'otlp',
  'litellm',
  'langfuse',
  'langsmith',
  'openai-chat',
  'openai-responses',
  'anthropic',
  'ag-ui',
  'acp',
  'langchain',
  'cloudevents',
  'vercel-ai',
] as const;

export type FormatName = (typeof formatNames)[number];
