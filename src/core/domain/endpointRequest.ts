import type { Expected } from '../../texts/en/settingFlaws.ts';
import { ReceiptdError } from './errors.ts';

/*
 * Rules for the name, language and outgoing URL of a new endpoint (interface 2.1). The service may accept anything, and an endpoint
 * can't be changed or deleted. Each check returns what a wrong value should be instead, or null.
 */

export function wrongEndpointName(text: string): Expected | null {
  const isName = text.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
  return isName ? null : { is: 'endpointName' };
}

export function wrongLanguage(text: string): Expected | null {
  return /^[a-z]{2}-[A-Z]{2}$/.test(text) ? null : { is: 'language' };
}

export function wrongOutgoingUrl(text: string): Expected | null {
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isWeb ? null : { is: 'webUrl' };
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
  wrong: (text: string) => Expected | null,
): void {
  const takes = given === undefined ? null : wrong(given);
  if (given !== undefined && takes !== null)
    throw new ReceiptdError('USAGE.endpointRequest', { given, field, takes });
}
