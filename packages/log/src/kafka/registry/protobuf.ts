import protobuf from 'protobufjs';
import descriptor, { type IFileDescriptorProto } from 'protobufjs/ext/descriptor.js';
import protojson from 'protobufjs/ext/protojson.js';
import { type Decode, integer } from './decode.ts';

/** A file in the order in which it comes after those that it imports. */
export interface ProtoFile {
  /** As imports name it. */
  readonly name: string;
  readonly text: string;
}

/**
 * Decodes messages to the JSON mapping of Protobuf, except that 64-bit integers that are exact as numbers become numbers.
 *
 * @throws Error when a file is invalid
 */
export function protobufDecoder(files: readonly ProtoFile[]): Decode {
  const root = new protobuf.Root();
  for (const { text } of files) addFile(root, text);
  root.resolveAll();
  const messages = messagesOf(files.at(-1)?.text ?? '');
  return (payload) => {
    const { path, length } = messageIndexes(payload);
    const type = root.lookupType(nameAt(messages, path));
    return withNumbers(type, protojson.toJson(type, type.decode(payload.subarray(length))));
  };
}

/** Adds what a file defines. */
function addFile(root: protobuf.Root, text: string): void {
  const { imports } = readFile(root, text);
  // The files of Protobuf itself are in no registry.
  for (const name of imports) {
    const known = protobuf.common.get(name)?.nested;
    if (known !== undefined) root.addJSON(known);
  }
}

/** The messages that a file defines, in their order: apart, because a package may extend over several files. */
function messagesOf(text: string): readonly protobuf.Type[] {
  return typesIn(readFile(new protobuf.Root(), text).scope);
}

interface ReadFile {
  readonly scope: protobuf.Namespace;
  readonly imports: readonly string[];
}

/** Base64: how the serializers of some languages register a file, and some registries return it. */
const descriptorText = /^[\w+/=\s]+$/;

function readFile(root: protobuf.Root, text: string): ReadFile {
  if (descriptorText.test(text)) return readDescriptor(root, Buffer.from(text, 'base64'));
  const { package: name, imports = [], weakImports = [] } = protobuf.parse(text, root);
  const scope = name === undefined ? root : root.lookup(name);
  return {
    scope: scope instanceof protobuf.Namespace ? scope : root,
    imports: [...imports, ...weakImports],
  };
}

function readDescriptor(root: protobuf.Root, bytes: Buffer): ReadFile {
  const { FileDescriptorProto } = descriptor;
  const file = FileDescriptorProto.toObject(FileDescriptorProto.decode(bytes)) as IFileDescriptorProto;
  const { package: name = '', syntax = 'proto2', messageType = [], enumType = [] } = file;
  const scope = name === '' ? root : root.define(name);
  const edition = syntax === 'editions' ? '2023' : syntax;
  for (const message of messageType) scope.add(protobuf.Type.fromDescriptor(message, edition));
  for (const values of enumType) scope.add(protobuf.Enum.fromDescriptor(values, edition));
  return { scope, imports: (file.dependency ?? []) as readonly string[] };
}

function typesIn(scope: protobuf.Namespace): protobuf.Type[] {
  return scope.nestedArray.filter((it) => it instanceof protobuf.Type);
}

/** The full name of the message at a path of indexes: into the file's messages, then into those nested in each. */
function nameAt(messages: readonly protobuf.Type[], [index = 0, ...rest]: readonly number[]): string {
  const message = messages[index];
  if (message === undefined) throw new Error('its message index names no message of the schema');
  return rest.length === 0 ? message.fullName : nameAt(typesIn(message), rest);
}

/** A message is nested in at most so many others. */
const MAX_DEPTH = 100;

/** A value begins with which message it is: the number of indexes, then each index; a single 0 means the first message. */
function messageIndexes(payload: Buffer): { readonly path: readonly number[]; readonly length: number } {
  const reader = protobuf.Reader.create(payload);
  const count = reader.sint32();
  if (count < 0 || count > MAX_DEPTH) throw new Error('its message index is invalid');
  const path = Array.from({ length: count }, () => reader.sint32());
  return { path: count === 0 ? [0] : path, length: reader.pos };
}

const longs: ReadonlySet<string> = new Set(['int64', 'uint64', 'sint64', 'fixed64', 'sfixed64']);

/** Changes a message's JSON: texts of 64-bit integers become numbers where these are exact. */
function withNumbers(type: protobuf.Type, json: unknown): unknown {
  // Well-known types have a JSON form of their own.
  if (!isRecord(json) || type.fullName.startsWith('.google.protobuf.')) return json;
  for (const field of type.fieldsArray) {
    const { jsonName, repeated, map, type: name, resolvedType } = field;
    const value = json[jsonName];
    if (value === undefined) continue;
    const one = (part: unknown) => {
      if (longs.has(name)) return integer(BigInt(part as string));
      return resolvedType instanceof protobuf.Type ? withNumbers(resolvedType, part) : part;
    };
    if (map && isRecord(value))
      json[jsonName] = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, one(part)]));
    else json[jsonName] = repeated && Array.isArray(value) ? value.map(one) : one(value);
  }
  return json;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
