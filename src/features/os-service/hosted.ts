import { existsSync } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import type { Config } from '../../config/config.ts';
import { unitCredentials } from '../../api/credentials/systemd.ts';
import { credstoreName, UNIT_CREDENTIALS_DIR } from '../../api/credentials/unitFiles.ts';
import { systemCode } from '../../core/domain/errors.ts';
import { pathRelations } from '../../config/resolve.ts';
import type { HostedAgent, HostedCredential, HostedFolder } from './agent.ts';

/** Names that the systemd store reads, for every account; systemd looks for each as `receiptd.NAME` in its credential stores. */
export function credentialNames(config: Config): readonly string[] {
  return accountsOf(config).flatMap((name) => Object.values(unitCredentials(name)));
}

/** Where systemd looks for a credential that a unit names without a path (systemd.exec(5)). */
const CREDENTIAL_STORES = ['/etc/credstore', UNIT_CREDENTIALS_DIR];

/** The accounts (null: the default one) whose credentials systemd will pass to the unit. */
export function accountsHeldBySystemd(
  config: Config,
  stores: readonly string[] = CREDENTIAL_STORES,
): readonly (string | null)[] {
  const isHeld = (name: string): boolean => stores.some((dir) => existsSync(join(dir, credstoreName(name))));
  return accountsOf(config).filter((name) => Object.values(unitCredentials(name)).every(isHeld));
}

/** Those whose credentials systemd may hold. */
function accountsOf({ credentials, accounts }: Config): (string | null)[] {
  return [{ name: null, credentials }, ...accounts].flatMap(({ name, credentials: { store } }) =>
    store === 'auto' || store === 'systemd' ? [name] : [],
  );
}

/** Describes the agent with this configuration to a service manager. `command` starts it. */
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
    graceMs: config.delivery.grace,
    controlGroup: config.control.group,
    credentials: credentialNames(config).map(hostedCredential),
    environment,
    links: await linksOf(paths),
  };
}

/** Sandboxing works on resolved paths, so symbolic links have to be listed too. */
async function linksOf(paths: readonly string[]): Promise<Record<string, readonly string[]>> {
  const found = await Promise.all(paths.map(async (path) => [path, await linkedPaths(path)] as const));
  return Object.fromEntries(found.filter(([, linked]) => linked.length > 0));
}

async function hostedFolder(folder: Config['folders'][number]): Promise<HostedFolder> {
  const { path, afterUpload, archiveTo, needsAttention } = folder;
  const archives = afterUpload === 'archive';
  const { within } = pathRelations(process.platform);
  // A path inside the folder may not exist yet and is created there.
  const place = async (of: string) => (within(of, path) ? path : whatIsThere(of));
  const writes = [
    ...(afterUpload === 'keep' ? [] : [path]),
    ...(archives ? [await place(archiveTo)] : []),
    ...(needsAttention === null ? [] : [await place(needsAttention)]),
  ];
  return { path, writes: [...new Set(writes)], isShared: archives || needsAttention !== null };
}

/** The path, or the nearest existing directory, in which it will be created. */
async function whatIsThere(path: string): Promise<string> {
  const parent = dirname(path);
  // If not even an ancestor exists (a machine being prepared), the path itself.
  return (await isThere(path)) || parent === path
    ? path
    : await whatIsThere(parent).then((found) => (found === '/' ? path : found));
}

/** Prefers the encrypted credential to a plain one. */
function hostedCredential(name: string): HostedCredential {
  const [plain, encrypted] = CREDENTIAL_STORES.map((dir) => existsSync(join(dir, credstoreName(name))));
  return { name, encrypted: encrypted === true || plain !== true };
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    // A directory that can't be entered is no proof of absence.
    (error: unknown) => !['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? ''),
  );
}

/** Linux follows as many. */
const MOST_LINKS = 40;

/**
 * The paths that a path resolves through: one per symbolic link, the last one free of links. They need not exist, since
 * a share may be unmounted. Empty if the path contains no link.
 */
async function linkedPaths(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = await followed(path); at !== null && found.length < MOST_LINKS; at = await followed(at)) {
    if (found.includes(at)) break;
    found.push(at);
  }
  return found;
}

/** The path with its first symbolic link replaced by the target; null if it contains none. */
async function followed(path: string): Promise<string | null> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  for (let depth = 1; depth <= names.length; depth += 1) {
    const link = join(root, ...names.slice(0, depth));
    const target = await readlink(link).catch(() => null);
    if (target === null) continue;
    const rest = names.slice(depth);
    return isAbsolute(target) ? join(target, ...rest) : resolve(dirname(link), target, ...rest);
  }
  return null;
}
