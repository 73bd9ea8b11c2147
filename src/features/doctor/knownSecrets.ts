import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { isSecretKey } from '../../config/secrets.ts';

const LONGEST = 64 * 1024;
/** Matches a user without a password too, since it may be a token, except in a database address. */
const USERINFO = /(?<!\bpostgres(?:ql)?(?=:\/\/[^:@]*@)):\/\/([^\s/?#"'<>\\]+)@/gi;
/** Files of the state directory that contain secrets. */
const HOLDS_SECRETS = /^(?:(?:mail-)?credentials(?:-.+)?\.json|results-secret|console-password)$/;
/** Our credentials from systemd. Others are read only if the configuration names them. */
const OF_UNIT = /^client_(?:id|secret)(?:_.+)?$/;
const SECRET_LINE = /^\s*-?\s*["']?([\w -]+?)["']?\s*:\s*(.+?)\s*$/;

/** Every secret available to this process without a prompt, in order to remove them from output. */
export async function knownSecrets(options: {
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string | null;
  readonly config: Config | null;
  /** Text of the config file, valid or not. */
  readonly text: string;
}): Promise<string[]> {
  const { env, stateDir, config, text } = options;
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && (isSecretKey(name) || name.startsWith('RECEIPTD_CLIENT'))) secrets.push(value);
  for (const value of [text, ...Object.values(env)])
    for (const [, userinfo = ''] of (value ?? '').matchAll(USERINFO))
      secrets.push(userinfo, ...userinfo.split(':').slice(1));
  for (const line of text.split('\n')) {
    const [, key = '', value = ''] = SECRET_LINE.exec(line) ?? [];
    if (isSecretKey(key)) secrets.push(value.replace(/^["']|["']$/g, ''));
  }
  const files = [
    config?.alerts.email?.passwordFile,
    config?.ledger.kind === 'postgres' ? config.ledger.passwordFile : null,
    config?.alerts.webhook?.secretFile,
    config?.credentials.file,
    ...(config?.accounts ?? []).map(({ credentials }) => credentials.file),
  ];
  if (stateDir !== null)
    for (const name of await readdir(stateDir).catch(() => []))
      if (HOLDS_SECRETS.test(name)) files.push(join(stateDir, name));
  const systemd = env['CREDENTIALS_DIRECTORY'];
  if (systemd !== undefined)
    for (const name of await readdir(systemd).catch(() => []))
      if (OF_UNIT.test(name)) files.push(join(systemd, name));
  for (const file of files) if (typeof file === 'string') secrets.push(...(await secretsIn(file)));
  const hook = config?.alerts.webhook?.url;
  if (hook !== undefined) {
    const { pathname, search } = new URL(hook);
    secrets.push(`${pathname}${search}`, pathname, ...pathname.split('/').filter((part) => part.length > 7));
  }
  // Shorter ones are our own words, such as names of methods.
  return secrets.map((each) => each.trim()).filter((each) => each.length >= 4);
}

/** The whole content of a small file, each of its lines, and every string in it if it is JSON. */
async function secretsIn(file: string): Promise<string[]> {
  try {
    const about = await stat(file);
    if (!about.isFile() || about.size > LONGEST) return [];
    const text = await readFile(file, 'utf8');
    return [text.trim(), ...text.split('\n'), ...stringsIn(parsed(text))];
  } catch {
    return [];
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
