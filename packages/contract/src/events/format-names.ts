/** Formats of events that are read: the values of `--format` and `?format=`. What each is stands in `@loopwatch/formats`. */
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
