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
  const value = text === null ? undefined : parsedPayload(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NONE;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const field = (name: string): string | null => {
    const found = fields[name];
    return typeof found === 'string' && isPlain(found) ? found : null;
  };
  return { name: field('name'), endpointUid: field('endpointUid'), status: field('status') };
}

/** What the service posted; undefined if it is not JSON. */
export function parsedPayload(text: string): unknown {
  try {
    // Some programs write a byte order mark.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
