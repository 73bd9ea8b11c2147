import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../../core/domain/errors.ts';
import { writeDurably } from '../../system/durableFile.ts';

export const SHORTEST_PASSWORD = 12;
/** Characters. Limits the work of hashing. */
export const LONGEST_PASSWORD = 1024;

const GROUP_AND_OTHERS = 0o077;
const KEY_BYTES = 32;
/** scrypt with N = 2^15, r = 8, p = 3, as OWASP advises: 32 MB and a few tenths of a second per guess. */
const COST = { log2N: 15, r: 8, p: 3 } as const;
const AT_ONCE = 2;
const SHAPE = /^scrypt\$15\$8\$3\$([\w-]{22})\$([\w-]{43})\n?$/;

export interface Password {
  /** Changes with the password without revealing anything about it. */
  readonly fingerprint: string;
  /** Checks at most two guesses at a time; null: busy. */
  matches(guess: string): Promise<boolean> | null;
}

/** The password of the console, kept as a hash; read again when the file changes. */
export class PasswordFile {
  readonly #file: string;
  #seen: { readonly mark: string; readonly password: Password } | null = null;
  #running = 0;

  constructor(stateDir: string) {
    this.#file = passwordFile(stateDir);
  }

  /** Null if none is set, or if others could have written the file. */
  async current(): Promise<Password | null> {
    try {
      const { mtimeMs, ctimeMs, ino, size } = await stat(this.#file);
      const mark = [mtimeMs, ctimeMs, ino, size].join(' ');
      if (this.#seen?.mark !== mark) this.#seen = null;
      if (this.#seen === null) {
        const password = this.#parse(await read(this.#file));
        if (password === null) return null;
        this.#seen = { mark, password };
      }
      return this.#seen.password;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#seen = null;
      return null;
    }
  }

  #parse(text: string | null): Password | null {
    const [, salt = '', hash = ''] = SHAPE.exec(text ?? '') ?? [];
    if (hash === '') return null;
    const expected = Buffer.from(hash, 'base64url');
    return {
      fingerprint: createHash('sha256').update(`${salt}$${hash}`).digest('base64url'),
      matches: (guess) => {
        if (this.#running >= AT_ONCE) return null;
        this.#running += 1;
        return derive(guess, Buffer.from(salt, 'base64url'))
          .then((key) => timingSafeEqual(key, expected))
          .finally(() => (this.#running -= 1));
      },
    };
  }
}

/** @throws what the file system says */
export async function writePassword(stateDir: string, password: string): Promise<void> {
  const salt = randomBytes(16);
  const { log2N, r, p } = COST;
  const key = await derive(password, salt);
  const line = `scrypt$${log2N}$${r}$${p}$${salt.toString('base64url')}$${key.toString('base64url')}\n`;
  await writeDurably(passwordFile(stateDir), line, { shared: true });
}

/** @returns whether there was one */
export async function removePassword(stateDir: string): Promise<boolean> {
  try {
    await unlink(passwordFile(stateDir));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

export function passwordFile(stateDir: string): string {
  return join(stateDir, 'console-password');
}

/** Hashes in Node's thread pool. Normalizes Unicode, so that the keyboard's composition makes no difference. */
async function derive(password: string, salt: Buffer): Promise<Buffer> {
  const { log2N, r, p } = COST;
  const options = { N: 2 ** log2N, r, p, maxmem: 64 * 1024 * 1024 };
  return promisify<string, Buffer, number, typeof options, Buffer>(scrypt)(
    password.normalize('NFC'),
    salt,
    KEY_BYTES,
    options,
  );
}

async function read(file: string): Promise<string | null> {
  // Neither a link nor a pipe that somebody put there.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(file, flags);
  try {
    const { mode } = await handle.stat();
    if (process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0) return null;
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
