import { spawn } from 'node:child_process';
import { chmod, unlink } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { basename, join } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { WritableCredentials } from '../../core/ports/credentials.ts';
import { replaceFile } from './file.ts';
import { absent, asCredentials } from './store.ts';
import type { Store } from './store.ts';
import { unitCredentials } from './systemd.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

/*
 * Credentials that a unit loads with LoadCredentialEncrypted=: files that systemd-creds encrypts with the machine's key, and with
 * its TPM2 if it has one. Only systemd passes them to the agent; here they are written, and read back for verification.
 */

const LIMIT_MS = 30_000;

/** Where systemd looks for encrypted credentials that a unit names without a path (systemd.exec(5)); only root can access it. */
export const UNIT_CREDENTIALS_DIR = '/etc/credstore.encrypted';

/** File name of a unit's credential in that directory, which other programs use too. */
export function credstoreName(name: string): string {
  return `receiptd.${name}`;
}

interface UnitFile {
  /** Name in the unit. */
  readonly name: string;
  readonly path: string;
}

function unitFiles(directory: string, account: string | null): [id: UnitFile, secret: UnitFile] {
  const { id, secret } = unitCredentials(account);
  const file = (name: string): UnitFile => ({ name, path: join(directory, credstoreName(name)) });
  return [file(id), file(secret)];
}

/** The lines of the unit, or of a drop-in, that load the credentials. */
export function unitLines(directory: string, account: string | null): string[] {
  return unitFiles(directory, account).map(({ name, path }) => {
    // Without a path, the unit also starts if the file is missing.
    const source = directory === UNIT_CREDENTIALS_DIR ? credstoreName(name) : path;
    return `LoadCredentialEncrypted=${name}:${source}`;
  });
}

export function writableUnitFiles(directory: string, account: string | null): WritableCredentials {
  const [id, secret] = unitFiles(directory, account);
  return {
    store: 'systemd',

    async set({ clientId, clientSecret }) {
      const sealed = [
        { file: id, bytes: await seal(id.name, clientId) },
        { file: secret, bytes: await seal(secret.name, clientSecret) },
      ];
      try {
        await makeDirectory(directory, 0o700);
        // A directory that was created by hand may be open to others, who could put their own files there.
        await chmod(directory, 0o700);
        for (const { file, bytes } of sealed) await replaceFile(file.path, bytes);
      } catch (error) {
        throw new ReceiptdError(
          'CREDENTIALS_UNWRITABLE.directory',
          { directory, system: systemCode(error) ?? null },
          { cause: error },
        );
      }
    },

    async remove() {
      const gone = await Promise.all([id, secret].map(({ path }) => removed(path)));
      return gone.includes(true);
    },
  };
}

async function removed(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw new ReceiptdError(
      'CREDENTIALS_UNWRITABLE.notRemoved',
      { path, system: systemCode(error) ?? null },
      { cause: error },
    );
  }
}

/** Reads the files; only root can decrypt them. */
export function unitFileStore(directory: string, account: string | null): Store {
  const [id, secret] = unitFiles(directory, account);
  return {
    store: 'systemd',
    async look() {
      const values: string[] = [];
      for (const { name, path } of [id, secret]) {
        const { status, stdout } = await systemdCreds(['decrypt', `--name=${name}`, path, '-']);
        if (status !== 0) return absent({ path: directory }, { why: 'notDecrypted', file: basename(path) });
        values.push(stdout);
      }
      const credentials = asCredentials(values[0], values[1]);
      return credentials
        ? { kind: 'found', credentials }
        : absent({ path: directory }, { why: 'empty', names: [id.name, secret.name] });
    },
  };
}

/** Uses pipes, because other users can see arguments. */
async function seal(name: string, value: string): Promise<string> {
  const { status, stdout, stderr } = await systemdCreds(['encrypt', `--name=${name}`, '-', '-'], value);
  if (status === 0 && stdout !== '') return stdout;
  const [words = ''] = stderr.trim().split('\n').slice(-1);
  throw new ReceiptdError('CREDENTIALS_UNWRITABLE.notEncrypted', { detail: words.replace(/\.$/, '') });
}

interface UnitEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function systemdCreds(args: readonly string[], input = ''): Promise<UnitEnd> {
  const child = spawn('systemd-creds', [...args], {
    env: { PATH: process.env['PATH'], LANG: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const status = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(
        new ReceiptdError(
          'CREDENTIALS_UNWRITABLE.noSystemdCreds',
          { system: systemCode(cause) ?? null },
          { cause },
        ),
      ),
    );
    child.once('close', resolve);
  });
  // The program may end before it reads its input; its exit status says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [ended, stdout, stderr] = await Promise.all([status, text(child.stdout), text(child.stderr)]);
  return { status: ended, stdout, stderr };
}
