import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { unitCredentials } from '../credentials/systemd.ts';
import { linkedPaths } from './links.ts';
import { pathRelations } from '../config/resolve.ts';
import type { HostedAgent, HostedCredential, HostedFolder } from '../hosting/agent.ts';

/** What the systemd store reads, of every account; each is looked for as `receiptd.NAME` in the credential stores of systemd. */
export function credentialNames({ credentials, accounts }: Config): readonly string[] {
  const all = [{ name: null, credentials }, ...accounts];
  return all
    .filter((each) => ['auto', 'systemd'].includes(each.credentials.store))
    .flatMap(({ name }) => Object.values(unitCredentials(name)));
}

/** What a service manager has to know of the agent with this configuration. `command` starts it. */
export async function hostedAgent(
  config: Config,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<HostedAgent> {
  const folders = await Promise.all(config.folders.map(hostedFolder));
  const paths = [
    ...command,
    config.file,
    config.stateDir,
    ...folders.flatMap(({ path, writes }) => [path, ...writes]),
  ];
  return {
    command,
    configFile: config.file,
    stateDir: config.stateDir,
    folders,
    graceMs: config.delivery.graceMs,
    controlGroup: config.control.group,
    credentials: await Promise.all(credentialNames(config).map(hostedCredential)),
    environment,
    links: await linksOf(paths),
  };
}

/** What confines the agent goes by where paths really lead. */
async function linksOf(paths: readonly string[]): Promise<Record<string, readonly string[]>> {
  const found = await Promise.all(paths.map(async (path) => [path, await linkedPaths(path)] as const));
  return Object.fromEntries(found.filter(([, linked]) => linked.length > 0));
}

async function hostedFolder(folder: Config['folders'][number]): Promise<HostedFolder> {
  const { path, afterUpload, archiveTo, needsAttention } = folder;
  const archives = afterUpload === 'archive';
  const { within } = pathRelations(process.platform);
  // What lies in the folder may have to be made in it.
  const place = async (of: string) => (within(of, path) ? path : whatIsThere(of));
  const writes = [
    ...(afterUpload === 'keep' ? [] : [path]),
    ...(archives ? [await place(archiveTo)] : []),
    ...(needsAttention === null ? [] : [await place(needsAttention)]),
  ];
  return { path, writes: [...new Set(writes)], isShared: archives || needsAttention !== null };
}

/** The path, or what it is made in when it is first needed. */
async function whatIsThere(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const parent = dirname(path);
  // Of a path of which nothing is there (a machine that is only prepared), the path.
  return isThere || parent === path
    ? path
    : await whatIsThere(parent).then((found) => (found === '/' ? path : found));
}

/** Encrypted, unless a plain one is all there is. */
async function hostedCredential(name: string): Promise<HostedCredential> {
  const isThere = (dir: string): Promise<boolean> =>
    stat(`${dir}/receiptd.${name}`).then(
      () => true,
      () => false,
    );
  const isPlain = (await isThere('/etc/credstore')) && !(await isThere('/etc/credstore.encrypted'));
  return { name, encrypted: !isPlain };
}
