import type { ErrorCode } from '../../core/domain/errors.ts';
import { explain } from '../../texts/explain.ts';
import { t } from './texts.ts';

/** What is wrong and what to do, for an error; null for an unknown code. */
export function explanationOf(code: string): { readonly what: string; readonly cure: string } | null {
  // An agent of another version may have other codes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return explain(t, code as ErrorCode);
}

/** Why something was not sent, as a sentence; null for an unknown reason. */
export function reasonText(reason: string, state?: string): string | null {
  const http = /^HTTP_(\d+)$/.exec(reason)?.[1];
  if (http !== undefined) {
    const text = state === 'unconfirmed' ? t.reasons.mayHaveIt : ofStatus(Number(http));
    return t.reasons.withCode(text, `HTTP ${http}`);
  }
  const system = own(t.reasons.system, reason) ?? ofSystem(reason, state);
  if (system !== undefined) return t.reasons.withCode(system, reason);
  const plain =
    own(t.reasons.own, reason) ??
    own<{ what: string }>(t.unsent, reason)?.what ??
    explanationOf(reason)?.what;
  return plain === undefined ? null : `${plain}.`;
}

function ofStatus(status: number): string {
  const { reasons } = t;
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return reasons.refused;
    case 401:
      return reasons.unauthorized;
    case 402:
    case 429:
      return reasons.slowDown;
    case 403:
      return reasons.forbidden;
    case 404:
    case 410:
      return reasons.endpointUnknown;
    case 407:
    case 408:
      return reasons.blocked;
    case 409:
      return reasons.mayHaveIt;
    default:
      return status >= 500 ? reasons.failing : reasons.strange;
  }
}

function ofSystem(code: string, state: string | undefined): string | undefined {
  if (state === 'unreadable')
    return own<unknown>(t.unsent, code) === undefined ? t.reasons.unreadable : undefined;
  if (/CERT|LEAF_SIGNATURE/.test(code)) return t.reasons.certificate;
  if (code.startsWith('PROXY_')) return t.reasons.blocked;
  return /^(?:ECONN|EPIPE|EPROTO|ERR_SSL|UND_ERR|HPE_|UNKNOWN$)/.test(code) ? t.reasons.brokenOff : undefined;
}

/** The code in parentheses in an error message, such as `... (ECONNREFUSED).` */
export const codeIn = (message: string): string | undefined => /\(([A-Z][A-Z\d_]+)\)/.exec(message)?.[1];

function own<T>(texts: Readonly<Partial<Record<string, T>>>, key: string): T | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}
