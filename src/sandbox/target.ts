/** The four routes of the interface, the sandbox's own control routes, and anything else. */
export const SERVICE_ROUTES = ['token', 'whoami', 'createEndpoint', 'upload'] as const;
export type ServiceRoute = (typeof SERVICE_ROUTES)[number];
export type SandboxRoute = ServiceRoute | 'control' | 'other';

export interface SandboxTarget {
  readonly route: SandboxRoute;
  readonly path: string;
  /** Path parameter of an upload; null for other requests. */
  readonly endpointUid: string | null;
  /** All `name` parameters of an upload. Null if the query is not well-formed UTF-8. */
  readonly names: readonly string[] | null;
  /** Methods allowed for this path; empty for an unknown path. */
  readonly allow: readonly string[];
}

const UPLOAD = /^\/v2\/endpoints\/([^/]+)\/documents$/;

export function parseTarget(method: string, url: string): SandboxTarget {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const uid = decode(UPLOAD.exec(path)?.[1] ?? null);
  const target = (route: SandboxRoute, allow: readonly string[]): SandboxTarget => ({
    route: allow.length === 0 || allow.includes(method) ? route : 'other',
    path,
    endpointUid: uid,
    names: uid === null || mark < 0 ? [] : parameter(url.slice(mark + 1), 'name'),
    allow,
  });
  if (path.startsWith('/sandbox/')) return target('control', []);
  if (uid !== null) return target('upload', ['POST']);
  switch (path) {
    case '/v2/oauth2/token':
      return target('token', ['POST']);
    case '/v2/whoami':
      return target('whoami', ['GET']);
    case '/v2/endpoints':
      return target('createEndpoint', ['POST']);
    default:
      return target('other', []);
  }
}

/** Strict, unlike URLSearchParams, which replaces invalid encoding by U+FFFD and thus hides defects of the client. */
function parameter(query: string, wanted: string): readonly string[] | null {
  const values: string[] = [];
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const key = decode((equals < 0 ? pair : pair.slice(0, equals)).replaceAll('+', ' '));
    const value = decode((equals < 0 ? '' : pair.slice(equals + 1)).replaceAll('+', ' '));
    if (key === null || value === null) return null;
    if (key === wanted) values.push(value);
  }
  return values;
}

function decode(text: string | null): string | null {
  if (text === null) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
