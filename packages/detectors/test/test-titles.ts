import ts from 'typescript';

/**
 * The titles of the tests in a file, as a runner would print them. A title with placeholders stands once for each case of
 * its table that is written out, and as it is where the cases are computed.
 */
export function testTitles(source: string): ReadonlySet<string> {
  const titles = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const title = literal(node.arguments[0]);
      if (typeof title === 'string')
        for (const one of [title, ...casesOf(node.expression).map((values) => filledIn(title, values))])
          titles.add(one);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return titles;
}

/** `it`, `test`, `it.each(table)`, `test.each<Row>(table)`; not `describe`, which asserts nothing, nor what is skipped. */
function isTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === 'it' || called.text === 'test';
  return ts.isCallExpression(called) && isEach(called.expression);
}

function isEach(called: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(called) && called.name.text === 'each' && isTest(called.expression);
}

type Literal = string | number | boolean | undefined;
type Values = ReadonlyMap<string, Literal> | readonly Literal[];

/** The rows of a table that are written out, each with what of it is a literal. */
function casesOf(called: ts.Expression): Values[] {
  const table = ts.isCallExpression(called) ? bare(called.arguments[0]) : undefined;
  if (table === undefined || !ts.isArrayLiteralExpression(table)) return [];
  return table.elements.map((element) => {
    const row = bare(element);
    if (row !== undefined && ts.isArrayLiteralExpression(row)) return row.elements.map(literal);
    if (row === undefined || !ts.isObjectLiteralExpression(row)) return [literal(row)];
    return new Map(
      row.properties.flatMap((property) =>
        ts.isPropertyAssignment(property)
          ? [[property.name.getText(), literal(property.initializer)] as const]
          : [],
      ),
    );
  });
}

/** A title with the values of one case in place of `%s`, `$name` and their like; what is no literal stays as it is. */
function filledIn(title: string, values: Values): string {
  if ('get' in values)
    return title.replace(/\$(\w+)/g, (placeholder, name: string) => {
      const value = values.get(name);
      return value === undefined ? placeholder : String(value);
    });
  let next = 0;
  return title.replace(/%([sdij])/g, (placeholder, kind: string) => {
    const value = values[next++];
    if (value === undefined) return placeholder;
    return kind === 'j' ? JSON.stringify(value) : String(value);
  });
}

function literal(node: ts.Node | undefined): Literal {
  const value = bare(node);
  if (value === undefined) return undefined;
  if (ts.isStringLiteralLike(value)) return value.text;
  if (ts.isNumericLiteral(value)) return Number(value.text);
  if (value.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (value.kind === ts.SyntaxKind.FalseKeyword) return false;
  return undefined;
}

/** Without `as const` and parentheses around it. */
function bare(node: ts.Node | undefined): ts.Node | undefined {
  if (node !== undefined && (ts.isAsExpression(node) || ts.isParenthesizedExpression(node)))
    return bare(node.expression);
  return node;
}
