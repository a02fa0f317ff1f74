export type { ToolCall, ToolResult, Usage } from '../record/conversation.ts';
export { joinedText } from '../record/json.ts';
export type { Answer, AnswerDelta, AnswerState, StreamedAnswer } from './answer.ts';
export { AnthropicAnswer, isCallBlock, isResultBlock, laterUsage } from './anthropic.ts';
export { GeminiAnswer, readGeminiAnswer } from './gemini-answer.ts';
export { messagesFrom, readMessage } from './messages.ts';
export { ChatAnswer } from './openai-chat.ts';
export { isClientCall, itemCall, ResponsesAnswer } from './openai-responses.ts';
export { readAnthropicAnswer, readChatAnswer, readResponsesAnswer } from './whole-answers.ts';
