import { openApiDocument } from '../../packages/server/src/openapi/document.ts';

/** The page that lists every operation of the server's API, derived from its OpenAPI document. */

interface Schema {
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
  readonly summary: string;
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

export function httpApiPage(version: string): string {
  const { paths } = openApiDocument({ version } as Parameters<typeof openApiDocument>[0]) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  const groupOf = (path: string) => path.replace('/api/v1', '').split('/')[1] ?? '';
  const sections = [...new Set(operations.map(({ path }) => groupOf(path)))].flatMap((group) => [
    `## ${group}`,
    ...operations.filter(({ path }) => groupOf(path) === group).flatMap(operationParts),
  ]);
  return [
    '# HTTP API',
    "Every operation of the server, generated from its OpenAPI document, which a server returns at `GET /api/v1/openapi.json`. [The server's API](../api.md) explains paging, errors and logins. Every operation can also respond with 401, 403, 429 and 503.",
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

const everywhere = new Set(['401', '403', '429', '503']);

function operationParts({
  path,
  method,
  summary,
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
      const [type] = Object.keys(content);
      return [
        status,
        type === undefined ? 'no body' : `\`${type}\``,
        description === summary ? '' : description,
      ];
    });
  return [
    `### \`${method} ${path}\``,
    `${summary}.`,
    ...(rows.length === 0 ? [] : [table(['parameter', 'in', 'type', 'meaning'], rows)]),
    ...(body === undefined
      ? []
      : [
          `Body, \`${bodyType ?? ''}\`${requestBody?.description === undefined ? '' : `: ${requestBody.description}`}`,
        ]),
    ...fieldTable(body?.schema),
    ...(body?.example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(body.example, null, 2)}\n\`\`\``]),
    table(['status', 'content', 'meaning'], answers),
    ...fieldTable(Object.entries(responses['200']?.content ?? {})[0]?.[1].schema),
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

function typeText({ type, enum: values, items, anyOf }: Schema): string {
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
