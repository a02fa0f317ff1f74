import type { ClientApi } from './client-case.ts';

/** The official clients by registry and name, with the APIs over which they are tested. */
export const testedClients = {
  npm: {
    openai: ['chat', 'responses'],
    '@anthropic-ai/sdk': ['messages'],
    '@google/genai': ['gemini'],
    ai: ['chat', 'responses', 'messages'],
    '@openai/agents': ['chat', 'responses'],
    '@langchain/langgraph': ['chat', 'responses'],
  },
  PyPI: {
    openai: ['chat', 'responses'],
    anthropic: ['messages'],
    'google-genai': ['gemini'],
    'openai-agents': ['chat', 'responses'],
    langgraph: ['chat', 'responses'],
    litellm: ['chat', 'responses', 'messages'],
    'semantic-kernel': ['chat'],
  },
  Maven: {
    'spring-ai-openai': ['chat'],
  },
} satisfies Readonly<Record<string, Readonly<Record<string, readonly ClientApi[]>>>>;
