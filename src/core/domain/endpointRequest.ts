import { ReceiptdError } from './errors.ts';

/*
 * Rules for the name, language and outgoing URL of a new endpoint (interface 2.1). The service may accept anything, and an endpoint
 * can't be changed or deleted. Each check returns what a wrong value should be instead, or null.
 */

export function wrongEndpointName(text: string): string | null {
  const isName = text.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
  return isName ? null : 'a name, without line breaks or other control characters';
}

export function wrongLanguage(text: string): string | null {
  return /^[a-z]{2}-[A-Z]{2}$/.test(text) ? null : 'a language and a region, such as de-DE';
}

export function wrongOutgoingUrl(text: string): string | null {
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isWeb ? null : 'an address that starts with https:// or http://';
}

/** @throws ReceiptdError USAGE */
export function demandEndpointRequest({
  name,
  language,
  outgoingUrl,
}: {
  readonly name: string;
  readonly language?: string | undefined;
  readonly outgoingUrl?: string | undefined;
}): void {
  demand('name', name, wrongEndpointName);
  demand('language', language, wrongLanguage);
  demand('outgoingUrl', outgoingUrl, wrongOutgoingUrl);
}

function demand(
  field: 'name' | 'language' | 'outgoingUrl',
  given: string | undefined,
  wrong: (text: string) => string | null,
): void {
  if (given === undefined || wrong(given) === null) return;
  throw new ReceiptdError('USAGE.endpointRequest', { given, field });
}
