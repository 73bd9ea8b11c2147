import type { DocumentEntry } from './store.ts';

/** A route's answer, before a fault rule changes it. */
export interface SandboxReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The document behind an upload's answer, so that a rule can answer with another record. */
  readonly document?: DocumentEntry;
}

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SandboxReply {
  return jsonText(status, JSON.stringify(value), headers);
}

export function jsonText(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): SandboxReply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body };
}

/** The interface does not show error bodies (interface 7); this format is invented. */
export function problem(
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SandboxReply {
  return json(status, { error, message }, headers);
}
