import { endpointSchema, folderSchema, serviceSchema } from '../../config/schema.ts';
import { shortName } from '../../config/values.ts';
import { mailAddress, mailServer } from '../../config/addresses.ts';
import { isLoopback } from '../../core/domain/loopback.ts';
import { isOddUid } from '../../config/oddUids.ts';
import { RATE_PATTERN } from '../../core/domain/rate.ts';
import { says, type Said, type SetupKey } from '../../core/domain/setupWords.ts';

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

export function wrongBaseUrl(text: string): string | null {
  return expected(serviceSchema.safeParse({ baseUrl: tidyBaseUrl(text) }));
}

/** `mayBePlain`: the configuration explicitly allows HTTP. */
export function wrongTransport(text: string, mayBePlain: boolean): string | null {
  const { protocol, hostname } = new URL(tidyBaseUrl(text));
  if (protocol !== 'http:' || mayBePlain || isLoopback(hostname)) return null;
  return 'an https address, because credentials and receipts would otherwise be sent unencrypted';
}

/** Stricter than the configuration, which accepts any form and warns. */
export function wrongUid(text: string): string | null {
  const wrong = expected(endpointSchema.shape.uid.safeParse(text));
  if (wrong !== null || !isOddUid(text.toLowerCase())) return wrong;
  return 'the uid as the service shows it, a UUID such as 0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10';
}

export function wrongAlias(text: string): string | null {
  return expected(shortName.safeParse(text));
}

/** Stricter than the configuration: a share's address would become a local directory, and system directories hold no scans. */
export function wrongFolder(text: string, platform: NodeJS.Platform = process.platform): string | null {
  if (platform !== 'win32' && /^(?:\\\\|[a-z][a-z+.-]*:\/\/)/i.test(text))
    return 'a folder on this machine: mount the share first, then use the mount point';
  if (platform !== 'win32' && /^\/(?:proc|sys|dev)(?:\/|$)/.test(text))
    return 'a folder for files, not one in /proc, /sys or /dev';
  return expected(folderSchema.shape.path.safeParse(text));
}

export function wrongExisting(text: string): string | null {
  return expected(folderSchema.shape.existing.safeParse(text));
}

export function wrongRate(text: string): string | null {
  return RATE_PATTERN.test(text) ? null : 'N/s, N/min or N/h, such as 60/min, or unlimited';
}

/** Addresses separated by commas, semicolons or spaces; empty for `none`. */
export function mailAddressesOf(text: string): readonly string[] {
  return text === 'none' ? [] : text.split(/[\s,;]+/).filter((address) => address !== '');
}

export function wrongMailAddresses(text: string): string | null {
  if (text === 'none') return null;
  const wrong = mailAddressesOf(text).map((address) => expected(mailAddress.safeParse(address)));
  return wrong.find((each) => each !== null) ?? (wrong.length === 0 ? 'a mail address, or none' : null);
}

/** Adds the scheme, which people leave out: port 465 is encrypted from the start. */
export function tidyMailServer(text: string): string {
  const typed = text.trim().replace(/\/+$/, '');
  if (/^[a-z][a-z+.-]*:\/\//i.test(typed)) return typed;
  return `${typed.endsWith(':465') ? 'smtps' : 'smtp'}://${typed}`;
}

export function wrongMailServer(text: string): string | null {
  const isServer = text.trim() !== 'none' && mailServer.safeParse(tidyMailServer(text)).success;
  return isServer ? null : 'a mail server such as mail.example.com, or smtps://mail.example.com:465';
}

/** Wraps a check for use with a question. */
export function sentence(
  key: SetupKey & `wrong.${string}`,
  wrong: (text: string) => string | null,
): (text: string) => Said | null {
  return (text) => {
    const found = wrong(text);
    return found === null ? null : says(key, { what: found });
  };
}

function expected(read: {
  readonly success: boolean;
  readonly error?: { readonly issues: readonly { readonly message: string }[] };
}): string | null {
  return read.success ? null : (read.error?.issues[0]?.message ?? 'something else');
}
