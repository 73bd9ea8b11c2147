import { readFileSync } from 'node:fs';

/** Replaced by the build, whose output has no manifest to read. */
declare const RECEIPTD_VERSION: string | undefined;

export const VERSION = typeof RECEIPTD_VERSION === 'string' ? RECEIPTD_VERSION : manifest().version;

function manifest(): { readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
}
