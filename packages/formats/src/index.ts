export { type Fault, type Translated, Translator, type TranslatorOptions } from './translator.ts';
