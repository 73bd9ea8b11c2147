/** The documented fields of a document (interface 2.2), all optional in a result; its other fields are undocumented. */
export interface ResultFields {
  readonly name: string | null;
  readonly endpointUid: string | null;
  readonly status: string | null;
}

/** Longer texts, or texts with control characters, are not used as name, uid or status; they stay in the payload only. */
const MOST_CHARACTERS = 1_000;

function isPlain(text: string): boolean {
  return text !== '' && text.length <= MOST_CHARACTERS && !/\p{Cc}/u.test(text);
}

/** An upload answer's status, which is mandatory: truncated if too long, with control characters replaced. */
export function plainStatus(status: string): string {
  const plain = status.replace(/\p{Cc}/gu, '\uFFFD');
  return plain.length <= MOST_CHARACTERS
    ? plain
    : `${plain.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const NONE: ResultFields = { name: null, endpointUid: null, status: null };

/** The documented fields of a payload that are texts. @param text null if the payload is not text */
export function readResult(text: string | null): ResultFields {
  const value = text === null ? null : parsed(text);
  if (value === null) return NONE;
  const field = (name: string): string | null => {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    return typeof found === 'string' && isPlain(found) ? found : null;
  };
  return { name: field('name'), endpointUid: field('endpointUid'), status: field('status') };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    // Some programs write a byte order mark.
    const value: unknown = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object has fields of unknown kind
    return isObject(value) ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
