export { type HookAgent, readHookInput } from './agents/hook-input.ts';
export { type Fault, type Translation, Translator, type TranslatorOptions } from './translator.ts';
