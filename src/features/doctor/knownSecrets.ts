import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { isSecretKey } from '../../config/secrets.ts';

const LONGEST = 64 * 1024;
/** A user alone may be a token, but not in the address of a database. */
const USERINFO = /(?<!\bpostgres(?:ql)?(?=:\/\/[^:@]*@)):\/\/([^\s/?#"'<>\\]+)@/gi;
/** In the state directory. */
const HOLDS_SECRETS = /^(?:(?:mail-)?credentials(?:-.+)?\.json|results-secret|console-password)$/;
/** Of what systemd gave the unit: ours. What is not is read only where the configuration names it. */
const OF_UNIT = /^client_(?:id|secret)(?:_.+)?$/;
const SECRET_LINE = /^\s*-?\s*["']?([\w -]+?)["']?\s*:\s*(.+?)\s*$/;

/** Every secret that this process can learn without asking anybody, to look for it in what is about to be written. */
export async function knownSecrets(options: {
  readonly env: NodeJS.ProcessEnv;
  readonly stateDir: string | null;
  readonly config: Config | null;
  /** Of the config file, whatever it says. */
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
  // Names of methods and words of ours are none.
  return secrets.map((each) => each.trim()).filter((each) => each.length >= 4);
}

/** The whole of a small file, its lines, and every text in it if it is JSON. */
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
