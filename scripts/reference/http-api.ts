import { openApiDocument } from '../../packages/server/src/openapi/document.ts';

/** The page that lists every operation of the server's API, derived from its OpenAPI document. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Operation {
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly description?: string;
    readonly content: Readonly<Record<string, Content>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function httpApiPage(version: string): string {
  const info = { version } as Parameters<typeof openApiDocument>[0];
  const { tags, paths, components } = openApiDocument(info) as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  const sections = tags.flatMap(({ name, description }) => [
    `## ${name}`,
    description,
    ...operations.filter((operation) => operation.tags.includes(name)).flatMap(operationParts),
  ]);
  const schemas = Object.entries(components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    '# HTTP API',
    "Every operation of the server, generated from its OpenAPI document, which a server returns at `GET /api/v1/openapi.json`. [The server's API](../api.md) explains paging, errors and logins. Every operation can also respond with 401, 403, 429 and 503.",
    ...sections,
    '## Schemas',
    ...schemas.flatMap(([name, schema]) => [`### ${name}`, ...schemaParts(schema)]),
  ]
    .join('\n\n')
    .concat('\n');
}

function schemaParts(schema: Schema): string[] {
  const fields = fieldTable(schema);
  return [
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(fields.length > 0 ? fields : [`Type: ${typeText(schema)}`]),
  ];
}

const everywhere = new Set(['401', '403', '429', '503']);

function operationParts({
  path,
  method,
  description,
  parameters = [],
  requestBody,
  responses,
}: Operation & { readonly path: string; readonly method: string }): string[] {
  const rows = parameters.map(({ name, in: where, description = '', schema }) => [
    `\`${name}\``,
    where,
    typeText(schema),
    description,
  ]);
  const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const answers = Object.entries(responses)
    .filter(([status]) => !everywhere.has(status))
    .map(([status, { description, content = {} }]) => {
      const [type, { schema } = {}] = Object.entries(content)[0] ?? [];
      return [
        status,
        type === undefined ? 'no body' : `\`${type}\``,
        schema?.$ref === undefined || type !== 'application/json' ? '' : typeText(schema),
        description === 'OK' || description === 'Done' ? '' : description,
      ];
    });
  return [
    `### \`${method} ${path}\``,
    description,
    ...(rows.length === 0 ? [] : [table(['parameter', 'in', 'type', 'meaning'], rows)]),
    ...(body === undefined
      ? []
      : [
          `Body, \`${bodyType ?? ''}\`: ${typeText(body.schema)}${requestBody?.description === undefined ? '' : `. ${requestBody.description}`}`,
        ]),
    ...(body?.example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(body.example, null, 2)}\n\`\`\``]),
    table(['status', 'content', 'schema', 'meaning'], answers),
  ];
}

function fieldTable(schema: Schema | undefined): string[] {
  const fields = Object.entries(schema?.properties ?? {});
  if (fields.length === 0) return [];
  const required = new Set(schema?.required);
  const rows = fields.map(([name, field]) => [
    `\`${name}\`${required.has(name) ? '' : ' (optional)'}`,
    typeText(field),
    field.description ?? '',
  ]);
  return [table(['field', 'type', 'meaning'], rows)];
}

function typeText({ $ref, type, enum: values, items, anyOf }: Schema): string {
  const name = $ref?.split('/').at(-1);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeText))].join(' or ');
  if (items !== undefined) return `list of ${typeText(items)}`;
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
