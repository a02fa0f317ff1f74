export { type HookAgent, hookAgentOf, hookEventOf, hookSession, readHookInput } from './agents/hook-input.ts';
export { Copies } from './record/copies.ts';
export { pythonJson } from './record/python-json.ts';
export { TelemetryMemory } from './record/telemetry-memory.ts';
export { readKept } from './telemetry/otlp.ts';
export { type Fault, type Translation, Translator, type TranslatorOptions, unframed } from './translator.ts';
