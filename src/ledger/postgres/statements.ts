type StatementValue =
  string | number | bigint | boolean | null | Date | Buffer | readonly (string | number | null)[];
export type NamedParams = Readonly<Record<string, StatementValue>>;
/** By name; or in their order, for a statement with `$1`. */
export type SqlParams = NamedParams | readonly StatementValue[];

/** Statements with parameters as `:name`, or as `$1`. Each takes exactly the parameters that it names. */
export interface Sql {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  get<Row>(text: string, params?: SqlParams): Promise<Row | undefined>;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  all<Row>(text: string, params?: SqlParams): Promise<Row[]>;
  /** Resolves the number of rows changed. */
  run(text: string, params?: SqlParams): Promise<number>;
}

/** A statement in the form that the server takes. Named ones are prepared once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

interface KnownStatement {
  readonly name: string;
  readonly text: string;
  readonly names: readonly string[];
}

const known = new Map<string, KnownStatement>();

/** @throws TypeError if text and parameters don't match, which is a defect */
export function statement(text: string, params: SqlParams = {}): Statement {
  let found = known.get(text);
  if (!found) {
    const numbered = numberParams(text);
    found = { name: `r${known.size}`, ...numbered };
    known.set(text, found);
  }
  const { name: prepared } = found;
  if (isList(params)) return { name: prepared, text: found.text, values: params.map(toText) };
  const values = found.names.map((name) => {
    const value = params[name];
    if (value === undefined) throw new TypeError(`A statement lacks its parameter :${name}.`);
    return toText(value);
  });
  const given = Object.keys(params);
  if (given.length !== found.names.length) {
    const unknown = given.filter((name) => !found.names.includes(name));
    throw new TypeError(`A statement has no parameter :${unknown.join(', :')}.`);
  }
  return { name: prepared, text: found.text, values };
}

/** PostgreSQL's text can't hold U+0000. */
function toText(value: StatementValue): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return isList(value) ? value.map(toText) : value;
}

function isList(value: unknown): value is readonly StatementValue[] {
  return Array.isArray(value);
}

/** Literals, quoted names, comments (the last of each kind may lack its end), casts, or a parameter. */
const PARAM = /'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*[^]*?(?:\*\/|$)|::|:([A-Za-z_]\w*)/g;

/** Replaces parameters written `:name` by numbers: `$1`. A repeated name has one number. */
function numberParams(text: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  const numbered = text.replace(PARAM, (whole, name: string | undefined) => {
    if (name === undefined) return whole;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}
