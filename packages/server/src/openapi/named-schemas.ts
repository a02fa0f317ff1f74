import * as contract from '@loopwatch/contract';
import * as api from '@loopwatch/contract/api';
import { expandEvidenceSchema } from '@loopwatch/contract/internal';
import * as z from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** `input`: as a request may have it; `output`: as a response has it, with defaults filled in. */
export type Direction = 'input' | 'output';

const FOLDER = '#/components/schemas/';

/**
 * The schemas of the document, each described once and referenced by name. The names are those of the contract without `Schema`;
 * `Input` ends the name of what requests contain.
 */
export class NamedSchemas {
  readonly #names = z.registry<{ id: string }>();
  /** By name in the document; those referenced so far, and those that these reference. */
  readonly components: Record<string, JsonSchema> = {};
  readonly #described: Partial<Record<Direction, Record<string, JsonSchema>>> = {};

  /** @param others schemas of the API that the contract does not export, by name */
  constructor(others: Readonly<Record<string, z.ZodType>>) {
    const exported = Object.entries<unknown>({ ...contract, ...api })
      .filter(([name]) => name.endsWith('Schema'))
      .map(([name, value]) => [name.slice(0, -'Schema'.length), value] as const);
    const evidence = contract.detectorIds.map(
      (id) => [evidenceName(id), contract.evidenceSchemas[id]] as const,
    );
    for (const [name, value] of [...exported, ...evidence, ...Object.entries(others)])
      if (value instanceof z.ZodType && !this.#names.has(value)) this.#names.add(value, { id: pascal(name) });
  }

  /** @throws Error for a schema without a name */
  reference(schema: z.ZodType, direction: Direction): JsonSchema {
    const id = this.#names.get(schema)?.id;
    if (id === undefined) throw new Error('a schema of the API has no name');
    return { $ref: this.#use(id, direction) };
  }

  #use(id: string, direction: Direction): string {
    const name = direction === 'input' ? `${id}Input` : id;
    if (!(name in this.components)) {
      const { $schema, $id, ...schema } = this.#describe(direction)[id] ?? {};
      // Entered first, because a schema may contain itself.
      this.components[name] = schema;
      this.components[name] = mapReferences(schema, (target) => this.#use(target, direction));
    }
    return FOLDER + name;
  }

  #describe(io: Direction): Record<string, JsonSchema> {
    return (this.#described[io] ??= z.toJSONSchema(this.#names, {
      io,
      unrepresentable: 'any',
      uri: (id) => FOLDER + id,
      override: (part) => expandEvidenceSchema(part, (id) => ({ $ref: FOLDER + pascal(evidenceName(id)) })),
    }).schemas);
  }
}

function evidenceName(id: contract.DetectorId): string {
  return `${id.replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase())}Evidence`;
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function mapReferences<T>(value: T, map: (name: string) => string): T {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    key === '$ref' && typeof part === 'string' ? map(part.slice(FOLDER.length)) : part,
  ) as T;
}
