import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeychainTrouble } from '../../core/ports/credentials.ts';
import {
  CHANGE_LIMIT_MS,
  READ_LIMIT_MS,
  type KeychainReply,
  type KeychainRequest,
} from './keychainProtocol.ts';

export interface KeychainOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The compiled helper; default: next to this file. */
  readonly helperPath?: string;
  /** Milliseconds. */
  readonly limitMs?: number;
}

/** There was no reply. `late`: the helper was asked, but took too long. */
export class KeychainSilence extends Error {
  readonly trouble: KeychainTrouble;

  constructor(trouble: KeychainTrouble, cause?: unknown) {
    super(trouble.why, cause === undefined ? undefined : { cause });
    this.trouble = trouble;
  }
}

/**
 * Calls the helper process, and kills it if it takes too long.
 *
 * @throws KeychainSilence, or the signal's reason
 */
export async function callKeychain(
  request: KeychainRequest,
  options: KeychainOptions,
  signal?: AbortSignal,
): Promise<KeychainReply> {
  signal?.throwIfAborted();
  const limitMs = options.limitMs ?? (request.operation === 'get' ? READ_LIMIT_MS : CHANGE_LIMIT_MS);
  const child = spawn(process.execPath, [options.helperPath ?? helperBeside()], {
    env: wanted(options.env),
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return await new Promise((resolve, reject) => {
    let output = '';
    const give = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      child.kill('SIGKILL');
      settle();
    };
    const abort = (): void => give(() => reject(signal?.reason));
    const timer = setTimeout(
      () => give(() => reject(new KeychainSilence({ why: 'late', seconds: limitMs / 1000 }))),
      limitMs,
    );
    signal?.addEventListener('abort', abort, { once: true });
    child.on('error', (error) => give(() => reject(new KeychainSilence({ why: 'notStarted' }, error))));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.on('close', () =>
      give(() => {
        try {
          const reply: KeychainReply = JSON.parse(output);
          resolve(reply);
        } catch {
          reject(new KeychainSilence({ why: 'noAnswer' }));
        }
      }),
    );
    // `close` reports a helper that dies before it reads.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(request));
  });
}

/**
 * Environment variables passed to the helper: those of the desktop session, and those that any process needs. All others may
 * contain secrets, ours (RECEIPTD_CLIENT_SECRET, HTTPS_PROXY) or others'.
 */
const WANTED =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|SHELL|DBUS_SESSION_BUS_ADDRESS|XDG_[A-Z_]+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|GNOME_KEYRING_CONTROL|KDE_[A-Z_]+|DESKTOP_SESSION|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERNAME|USERDOMAIN|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|ALLUSERSPROFILE)$/;

function wanted(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Variable names are case-insensitive on Windows.
  return Object.fromEntries(Object.entries(env).filter(([name]) => WANTED.test(name.toUpperCase())));
}

function helperBeside(): string {
  return fileURLToPath(new URL(`./keychainHelper${extname(import.meta.url)}`, import.meta.url));
}
