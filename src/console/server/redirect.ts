import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A page that redirects to the console. The browser is started with this file's name rather than the link, because every
 * user of the machine can read command lines. Deleted once the link is used or has expired.
 */
export function redirectFile(stateDir: string): string {
  return join(stateDir, 'console-open.html');
}

/** @throws what the file system says */
export async function writeRedirect(stateDir: string, url: string): Promise<string> {
  const file = redirectFile(stateDir);
  const link = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${link}">
<title>receiptd</title>
<p><a href="${link}">receiptd</a></p>
`;
  await removeRedirect(stateDir);
  // `wx`: never write into a file that somebody else left there.
  await writeFile(file, page, { flag: 'wx', mode: 0o600 });
  return file;
}

export async function removeRedirect(stateDir: string): Promise<void> {
  await rm(redirectFile(stateDir), { force: true });
}
