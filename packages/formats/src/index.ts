export { formatNames } from './registry.ts';
export { type Fault, type Translated, Translator, type TranslatorOptions } from './translator.ts';
