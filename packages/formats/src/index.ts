export { type OtlpSignal, otlpJson } from './telemetry/otlp-protobuf.ts';
export { type Fault, type Translated, Translator, type TranslatorOptions } from './translator.ts';
