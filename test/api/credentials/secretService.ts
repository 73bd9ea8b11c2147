import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';

const PARTS = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon'];

export function secretServiceIsHere(): boolean {
  return PARTS.every((part) => spawnSync('sh', ['-c', `command -v ${part}`]).status === 0);
}

export function secretToolIsHere(): boolean {
  return spawnSync('sh', ['-c', 'command -v secret-tool']).status === 0;
}

export function keytarIsHere(): boolean {
  try {
    createRequire(import.meta.url)('keytar');
    return true;
  } catch {
    return false;
  }
}

export interface SecretService {
  /** Environment for processes that use this keyring. */
  readonly env: NodeJS.ProcessEnv;
  readonly lock: () => Promise<void>;
  /** Suspends the keyring, so that it accepts calls but answers none. */
  readonly freeze: () => void;
}

/** The environment of a D-Bus session that does not start a keyring on demand. */
export async function sessionWithoutKeyring(): Promise<NodeJS.ProcessEnv> {
  const home = await mkdtemp(join(tmpdir(), 'receiptd-session-'));
  const config = join(home, 'session.conf');
  await writeFile(
    config,
    `<busconfig><type>session</type><listen>unix:tmpdir=${home}</listen><auth>EXTERNAL</auth>
     <policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
  );
  const env = { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: home };
  const args = [
    `--config-file=${config}`,
    '--',
    'sh',
    '-c',
    'echo "$DBUS_SESSION_BUS_ADDRESS"; cat >/dev/null',
  ];
  const session = spawn('dbus-run-session', args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => session.once('close', resolve));
  onTestFinished(async () => {
    session.stdin.end();
    await ended;
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const address = await new Promise<string>((resolve) =>
    createInterface(session.stdout).once('line', resolve),
  );
  return { ...env, DBUS_SESSION_BUS_ADDRESS: address };
}

/** A keyring that several tests use. Call `end` in the end. */
export async function sharedSecretService(): Promise<SecretService & { end(): Promise<void> }> {
  let end = async (): Promise<void> => {};
  const service = await secretService((work) => (end = work));
  return { ...service, end };
}

/** A real, unlocked and empty keyring on a D-Bus session of its own, with a home of its own. */
export async function secretService(
  atEnd: (work: () => Promise<void>) => unknown = onTestFinished,
): Promise<SecretService> {
  const home = await mkdtemp(join(tmpdir(), 'receiptd-keyring-'));
  const homeEnv = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_RUNTIME_DIR: home,
    XDG_DATA_HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: home,
  };
  const script =
    'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null; ' +
    'echo "$DBUS_SESSION_BUS_ADDRESS"; cat >/dev/null';
  const session = spawn('dbus-run-session', ['--', 'sh', '-c', script], {
    env: homeEnv,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => session.once('close', resolve));
  let keyring = 0;
  atEnd(async () => {
    if (keyring !== 0) process.kill(keyring, 'SIGKILL');
    session.stdin.end();
    await ended;
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const address = await new Promise<string>((resolve) =>
    createInterface(session.stdout).once('line', resolve),
  );
  const env = { ...homeEnv, DBUS_SESSION_BUS_ADDRESS: address };
  const send = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('dbus-send', ['--session', '--print-reply', ...args], { env })).stdout;
  // The daemon goes into the background before it owns its name on the bus.
  keyring = await vi.waitFor(
    async () => {
      const reply = await send(
        '--dest=org.freedesktop.DBus',
        '/org/freedesktop/DBus',
        'org.freedesktop.DBus.GetConnectionUnixProcessID',
        'string:org.freedesktop.secrets',
      );
      return Number(/uint32 (\d+)/.exec(reply)?.[1]);
    },
    { timeout: 60_000, interval: 50 },
  );
  return {
    env,
    async lock() {
      await send(
        '--dest=org.freedesktop.secrets',
        '/org/freedesktop/secrets',
        'org.freedesktop.Secret.Service.Lock',
        'array:objpath:/org/freedesktop/secrets/collection/login',
      );
    },
    freeze: () => process.kill(keyring, 'SIGSTOP'),
  };
}
