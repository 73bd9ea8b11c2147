import { consoleSchema, endpointSchema, folderSchema, serviceSchema } from '../../config/schema.ts';
import { expectedIn, shortName } from '../../config/values.ts';
import { mailAddress, mailServer } from '../../config/addresses.ts';
import { isLoopback } from '../../core/domain/loopback.ts';
import { isOddUid } from '../../config/oddUids.ts';
import { parseRate, RATE_PATTERN, rateText } from '../../core/domain/rate.ts';
import { says, type Said } from '../../core/domain/setupWords.ts';
import type { Expected } from '../../texts/en/settingFlaws.ts';

/*
 * Checks given or typed answers by the rules of the configuration. Each returns what a wrong answer should be instead, or
 * null.
 */

/** Accepts addresses the way people copy them: with a version at the end, or without https://. */
export function tidyBaseUrl(text: string): string {
  const typed = text.trim();
  const whole = /^[a-z][a-z+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  return whole.replace(/\/+$/, '').replace(/\/v2$/, '');
}

export function wrongBaseUrl(text: string): Expected | null {
  return expected(serviceSchema.safeParse({ baseUrl: tidyBaseUrl(text) }));
}

/** `mayBePlain`: the configuration explicitly allows HTTP. */
export function wrongTransport(text: string, mayBePlain: boolean): Expected | null {
  const { protocol, hostname } = new URL(tidyBaseUrl(text));
  if (protocol !== 'http:' || mayBePlain || isLoopback(hostname)) return null;
  return { is: 'httpsUrl' };
}

/** Stricter than the configuration, which accepts any form and warns. */
export function wrongUid(text: string): Expected | null {
  const wrong = expected(endpointSchema.shape.uid.safeParse(text));
  if (wrong !== null || !isOddUid(text.toLowerCase())) return wrong;
  return { is: 'uuid' };
}

export function wrongAlias(text: string): Expected | null {
  return expected(shortName.safeParse(text));
}

export function wrongExisting(text: string): Expected | null {
  return expected(folderSchema.shape.existing.safeParse(text));
}

export function wrongRate(text: string): Expected | null {
  return RATE_PATTERN.test(text) ? null : { is: 'rate', unit: 'min' };
}

/** With the unit of a number alone, so that the file says what was meant. */
export function tidyRate(text: string): string {
  return rateText(parseRate(text, 'min'));
}

export function wrongListen(text: string): Expected | null {
  return expected(consoleSchema.shape.listen.safeParse(text));
}

/** Addresses separated by commas, semicolons or spaces; empty for `none`. */
export function mailAddressesOf(text: string): readonly string[] {
  return text === 'none' ? [] : text.split(/[\s,;]+/).filter((address) => address !== '');
}

export function wrongMailAddresses(text: string): Expected | null {
  if (text === 'none') return null;
  const wrong = mailAddressesOf(text).map((address) => expected(mailAddress.safeParse(address)));
  return wrong.find((each) => each !== null) ?? (wrong.length === 0 ? { is: 'mailAddressOrNone' } : null);
}

/** Adds the scheme, which people leave out: port 465 is encrypted from the start. */
export function tidyMailServer(text: string): string {
  const typed = text.trim().replace(/\/+$/, '');
  if (/^[a-z][a-z+.-]*:\/\//i.test(typed)) return typed;
  return `${typed.endsWith(':465') ? 'smtps' : 'smtp'}://${typed}`;
}

export function wrongMailServer(text: string): Expected | null {
  const isServer = text.trim() !== 'none' && mailServer.safeParse(tidyMailServer(text)).success;
  return isServer ? null : { is: 'mailServerName' };
}

/** Wraps a check for use with a question. */
export function sentence(wrong: (text: string) => Expected | null): (text: string) => Said | null {
  return (text) => {
    const what = wrong(text);
    return what === null ? null : says('wrong.answer', { what });
  };
}

function expected(read: {
  readonly success: boolean;
  readonly error?: { readonly issues: readonly { readonly message: string }[] };
}): Expected | null {
  return read.success ? null : expectedIn(read.error?.issues ?? []);
}
