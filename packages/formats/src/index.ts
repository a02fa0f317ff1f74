export { type HookAgent, readHookInput } from './agents/hook-input.ts';
export { type Fault, type Translated, Translator, type TranslatorOptions } from './translator.ts';
