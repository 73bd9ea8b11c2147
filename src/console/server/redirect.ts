import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A page that leads to the console. A browser is started with the name of this file, not with the link: every user of the machine can
 * read the command lines of all processes. Gone as soon as the link is used or too old.
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
  // Recreated: never what somebody else left there.
  await writeFile(file, page, { flag: 'wx', mode: 0o600 });
  return file;
}

export async function removeRedirect(stateDir: string): Promise<void> {
  await rm(redirectFile(stateDir), { force: true });
}
