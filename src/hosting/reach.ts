import { posix } from 'node:path';
import { ReceiptdError } from '../domain/errors.ts';
import { runAs, type Account } from './account.ts';
import type { HostedAgent } from './agent.ts';
import type { Host } from './host.ts';

/**
 * That the account can run the program and read its configuration, tried as that account.
 * @throws ReceiptdError INSTALL_REFUSED
 */
export async function demandReach(
  host: Host,
  account: Account,
  { command, configFile }: HostedAgent,
): Promise<void> {
  for (const [index, path] of command.entries()) {
    if (await can(host, account, index === 0 ? '-x' : '-r', path)) continue;
    const at = await obstacle(host, account, path);
    throw new ReceiptdError(
      'INSTALL_REFUSED',
      `The user ${account.name} can't ${index === 0 ? 'run' : 'read'} ${path}${inWay(at, path)}, so nothing was installed.`,
      {
        hint: 'Install receiptd and Node where every user can read them, as with `npm install --global` by root or a package.',
      },
    );
  }
  if (await can(host, account, '-r', configFile)) return;
  const at = await obstacle(host, account, configFile);
  throw new ReceiptdError(
    'INSTALL_REFUSED',
    `The user ${account.name} can't read the configuration ${configFile}${inWay(at, configFile)}, so nothing was installed.`,
    {
      hint: `Put it into /etc/receiptd and let that user read it: chgrp ${account.gid} /etc/receiptd/receiptd.yaml && chmod 640 /etc/receiptd/receiptd.yaml`,
    },
  );
}

/** What lets the account read the folder (and write it): the first directory on the way that it can't enter, or the folder. */
export async function folderAdvice(
  host: Host,
  account: Account,
  folder: string,
  needsWriting: boolean,
): Promise<string> {
  const at = await obstacle(host, account, folder);
  const commands = [
    ...(at !== folder ? [setfacl(account, 'x', at)] : []),
    setfacl(account, needsWriting ? 'rwx' : 'rx', folder),
  ];
  const where = at === folder ? '' : `${at} lets it not pass. `;
  return `${where}Allow it: ${commands.join(' && ')}; or add the user to the folder's group; then try again.`;
}

function setfacl({ name }: Account, rights: string, path: string): string {
  return `setfacl -m u:${name}:${rights} ${shellWord(path)}`;
}

/** The first directory on the way that can't be entered; the path itself where all can. */
async function obstacle(host: Host, account: Account, path: string): Promise<string> {
  const parts = path.split('/').slice(1, -1);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const directory = `/${parts.slice(0, depth).join('/')}`;
    if (!(await can(host, account, '-x', directory))) return directory;
  }
  return path;
}

function inWay(at: string, path: string): string {
  return at === path ? '' : ` (${at} is closed to it)`;
}

async function can(host: Host, account: Account, right: '-r' | '-x', path: string): Promise<boolean> {
  return (await runAs(host, account, ['test', right, path])).status === 0;
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Places that are emptied by others, or replaced at the next install. @throws ReceiptdError INSTALL_REFUSED */
export function refuseFleetingProgram({ command }: HostedAgent): void {
  const fleeting = command.find((path) => posix.normalize(path.replaceAll('\\', '/')).includes('/_npx/'));
  if (fleeting === undefined) return;
  throw new ReceiptdError(
    'INSTALL_REFUSED',
    `${fleeting} lies in the cache of npx, which is emptied without a word.`,
    { hint: 'Install receiptd with `npm install --global` first.' },
  );
}
