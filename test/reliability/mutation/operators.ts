import { parseAst } from 'rolldown/parseAst';

/**
 * One changed behaviour of a file. It names what it changes (a function, a callee, a value) rather than lines: a refactoring that keeps
 * names keeps the mutation. `$&` in a replacement stands for the original text.
 */
export type Edit = {
  readonly file: string;
  /** The function, as `name` or `Class.name`; the whole file if omitted. */
  readonly in?: string;
} & (
  | {
      /** Removes or replaces statements that consist of a call of this function. */
      readonly drop: string;
      readonly becomes?: string;
    }
  | { /** Replaces each call of this function. */ readonly call: string; readonly becomes: string }
  | {
      /** Replaces each condition of `if`, `while` and `?:` that mentions this name. */
      readonly condition: string;
      readonly is: string;
    }
  | { /** Replaces the whole function body. */ readonly body: string }
  | { /** Runs before the rest of the function. */ readonly first: string }
  | {
      /** Replaces the value of a constant, a variable, a property or a parameter's default. */
      readonly value: string;
      readonly becomes: string;
    }
  | { /** Replaces every returned value. */ readonly returns: string }
);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export class NothingToMutate extends Error {}

/** @throws NothingToMutate if the source has no such place */
export function mutate(source: string, edits: readonly Edit[], lang: 'ts' | 'js'): string {
  return edits.reduce((text, edit) => applyEdit(text, edit, lang), source);
}

function applyEdit(source: string, edit: Edit, lang: 'ts' | 'js'): string {
  const program = parseAst(source, { lang }) as unknown as Node;
  const scopes = edit.in === undefined ? [program] : functionsNamed(program, edit.in);
  const spans = scopes.flatMap((scope) => spansOf(scope, edit, source));
  if (spans.length === 0) throw new NothingToMutate(`${edit.file} has no place for ${JSON.stringify(edit)}`);
  const sorted = spans.toSorted((a, b) => b.start - a.start);
  let text = source;
  let from = Infinity;
  for (const { start, end, text: replacement } of sorted) {
    // A node that contains a changed place stays as it is.
    if (end > from) continue;
    text = text.slice(0, start) + replacement + text.slice(end);
    from = start;
  }
  return text;
}

function spansOf(scope: Node, edit: Edit, source: string): Span[] {
  const textOf = ({ start, end }: Node): string => source.slice(start, end);
  const replace = (node: Node, by: string): Span => ({
    start: node.start,
    end: node.end,
    text: by.replaceAll('$&', () => textOf(node)),
  });
  if ('drop' in edit) {
    return all(scope, 'ExpressionStatement')
      .filter((statement) => calledBy(statement['expression'] as Node) === edit.drop)
      .map((statement) => replace(statement, edit.becomes ?? ';'));
  }
  if ('call' in edit) {
    return all(scope, 'CallExpression', 'NewExpression')
      .filter((call) => nameOf(call['callee'] as Node) === edit.call)
      .map((call) => replace(call, edit.becomes));
  }
  if ('condition' in edit) {
    return all(scope, 'IfStatement', 'WhileStatement', 'ConditionalExpression')
      .map(({ test }) => test as Node)
      .filter((test) => mentions(test, edit.condition))
      .map((test) => replace(test, edit.is.replaceAll('$&', '($&)')));
  }
  if ('value' in edit) {
    return everything(scope).flatMap((node) =>
      setTo(node, edit.value).map(({ value, key }) =>
        replace(value, key === null ? edit.becomes : `${key}: ${edit.becomes}`),
      ),
    );
  }
  if ('returns' in edit) {
    return all(scope, 'ReturnStatement')
      .flatMap(({ argument }) => (argument ? [argument as Node] : []))
      .map((argument) => replace(argument, edit.returns));
  }
  const body = scope['body'] as Node;
  if (body.type !== 'BlockStatement') return 'body' in edit ? [replace(body, edit.body)] : [];
  return 'body' in edit
    ? [{ start: body.start, end: body.end, text: `{ ${edit.body} }` }]
    : [{ start: body.start, end: body.start + 1, text: `{ ${edit.first}` }];
}

interface Setting {
  readonly value: Node;
  /** Set for a shorthand `{ key }`, which becomes `{ key: … }`. */
  readonly key: string | null;
}

function setTo(node: Node, name: string): Setting[] {
  const given = (target: unknown, value: unknown): Setting[] =>
    value && nameOf(target as Node) === name ? [{ value: value as Node, key: null }] : [];
  switch (node.type) {
    case 'VariableDeclarator':
      return given(node['id'], node['init']);
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return given(node['left'], node['right']);
    case 'PropertyDefinition':
      return given(node['key'], node['value']);
    case 'ObjectExpression':
      return (node['properties'] as Node[]).flatMap((property): Setting[] => {
        if (property.type !== 'Property' || nameOf(property['key'] as Node) !== name) return [];
        return property['shorthand'] === true
          ? [{ value: property, key: name }]
          : [{ value: property['value'] as Node, key: null }];
      });
    default:
      return [];
  }
}

function functionsNamed(program: Node, wanted: string): Node[] {
  const [name = '', owner] = wanted.split('.').toReversed();
  const within = owner === undefined ? [program] : classesNamed(program, owner);
  return within.flatMap((place) => everything(place)).flatMap((node) => functionIn(node, name) ?? []);
}

function classesNamed(program: Node, name: string): Node[] {
  return all(program, 'ClassDeclaration', 'ClassExpression').filter(
    ({ id }) => id && nameOf(id as Node) === name,
  );
}

function functionIn(node: Node, name: string): Node | null {
  switch (node.type) {
    case 'FunctionDeclaration':
      return node['id'] && nameOf(node['id'] as Node) === name ? node : null;
    case 'MethodDefinition':
    case 'Property':
      return nameOf(node['key'] as Node) === name ? asFunction(node['value'] as Node) : null;
    case 'VariableDeclarator':
      return node['init'] && nameOf(node['id'] as Node) === name ? asFunction(node['init'] as Node) : null;
    default:
      return null;
  }
}

function asFunction(node: Node): Node | null {
  return node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression' ? node : null;
}

/** The last name of the callee: `disposing` of `await this.#ledger?.disposing(...)`. */
function calledBy(node: Node): string | null {
  switch (node.type) {
    case 'AwaitExpression':
    case 'UnaryExpression':
      return calledBy(node['argument'] as Node);
    case 'ChainExpression':
    case 'TSNonNullExpression':
      return calledBy(node['expression'] as Node);
    case 'CallExpression': {
      const callee = node['callee'] as Node;
      // `.catch(...)` after it belongs to the same call.
      const before = callee.type === 'MemberExpression' ? (callee['object'] as Node) : null;
      return nameOf(callee) === 'catch' && before ? calledBy(before) : nameOf(callee);
    }
    default:
      return null;
  }
}

function nameOf(node: Node): string | null {
  switch (node.type) {
    case 'Identifier':
      return String(node['name']);
    case 'PrivateIdentifier':
      return `#${String(node['name'])}`;
    case 'Literal':
      return String(node['value']);
    case 'MemberExpression':
      return nameOf(node['property'] as Node);
    case 'TSNonNullExpression':
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      return nameOf(node['expression'] as Node);
    default:
      return null;
  }
}

function mentions(node: Node, name: string): boolean {
  return everything(node).some(
    (each) => ['Identifier', 'PrivateIdentifier', 'Literal'].includes(each.type) && nameOf(each) === name,
  );
}

function all(node: Node, ...types: readonly string[]): Node[] {
  return everything(node).filter(({ type }) => types.includes(type));
}

function everything(node: Node): Node[] {
  const found = [node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) found.push(...everything(child));
  }
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
