import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import YAML from 'yaml';
import type { Config } from '../../config/config.ts';
import type { Finding } from '../../core/domain/finding.ts';
import { isOwnWord, knownKeys } from './redactedConfig.ts';

/** Variables with the user, the machine or the proxies. */
const PERSONAL = /^(?:USER|LOGNAME|USERNAME|SUDO_USER|HOSTNAME|COMPUTERNAME|HOME|(?:https?|all|no)_proxy)$/i;

/** Known names of people, machines, folders and companies, to find them in sentences. */
export async function knownNames(options: {
  readonly config: Config | null;
  /** Text of the config file, valid or not. */
  readonly text: string;
  readonly stateDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly findings: readonly Finding[];
}): Promise<string[]> {
  const { config, text, stateDir, env, findings } = options;
  const machine = await readFile('/etc/hostname', 'utf8').catch(() => '');
  const names = [stateDir, os.hostname(), machine.trim(), ...user(), ...valuesOf(text)];
  for (const [name, value = ''] of Object.entries(env))
    if (PERSONAL.test(name)) names.push(...partsOf(value));
  for (const finding of findings) names.push(...(finding.names ?? []));
  if (config !== null) {
    // Absolute paths, as resolved.
    names.push(config.file, config.credentials.file, config.service.baseUrl);
    for (const { credentials } of config.accounts) names.push(credentials.file);
    for (const { path, archiveTo, needsAttention } of config.folders)
      names.push(path, archiveTo, needsAttention ?? '');
  }
  return names.filter((name) => name !== '' && name !== '/' && !isOwnWord(name));
}

function user(): string[] {
  try {
    const { username, homedir } = os.userInfo();
    return [homedir, username];
  } catch {
    return [];
  }
}

/** Every text in the file that is not one of our choices, and every key that is not ours. */
function valuesOf(text: string): string[] {
  const found: string[] = [];
  const keys = knownKeys();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.push(...partsOf(value));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (!keys.has(key) && !Array.isArray(value)) found.push(key);
      collect(inner);
    }
  };
  try {
    collect(YAML.parse(text, { maxAliasCount: 10, logLevel: 'silent' }));
  } catch {
    // Invalid YAML: nothing to collect.
  }
  return found;
}

/** For an address, also its host and user. */
function partsOf(value: string): string[] {
  const [, address = ''] = /^[a-z][a-z+.-]*:\/\/(?:[^@/]*@)?([^/:?#]+)/i.exec(value) ?? [];
  const [, mailbox = '', domain = ''] = /^([^\s@]+)@([^\s@]+)$/.exec(value) ?? [];
  return [value, address, mailbox, domain];
}

/** Words of the program's own texts, collected at build time. If the list is missing, every word may be a name. */
export async function ownWords(): Promise<ReadonlySet<string>> {
  const text = await readFile(join(import.meta.dirname, 'words.txt'), 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((word) => word !== ''));
}
