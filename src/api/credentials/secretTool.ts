import { execFile } from 'node:child_process';
import { CHANGE_LIMIT_MS, HELPER_MARGIN_MS, READ_LIMIT_MS, type Keyring } from './keychainProtocol.ts';

/*
 * libsecret's command-line tool, a package of the distribution (Debian: libsecret-tools), for installations where keytar was not
 * built or fails to load. It uses the same entries as keytar, which requires keytar's schema among the attributes
 * (docs/decisions/0046-second-keyring.md).
 */

const SCHEMA = ['xdg:schema', 'org.freedesktop.Secret.Generic'];

/** EACCES too: the answer as soon as one directory of PATH can't be entered. */
const NOT_INSTALLED: readonly unknown[] = ['ENOENT', 'EACCES', 'ENOTDIR'];
const READING_MS = READ_LIMIT_MS - HELPER_MARGIN_MS;
const CHANGING_MS = CHANGE_LIMIT_MS - HELPER_MARGIN_MS;

/** Null if it is not installed. */
export async function findSecretTool(): Promise<Keyring | null> {
  if (process.platform !== 'linux') return null;
  const isThere = await new Promise<boolean>((resolve) => {
    // Any answer proves that it is installed; it has no version option.
    execFile('secret-tool', ['--help'], { timeout: READING_MS }, (error) =>
      resolve(!NOT_INSTALLED.includes(error?.code)),
    );
  });
  return isThere ? SECRET_TOOL : null;
}

const SECRET_TOOL: Keyring = {
  async getPassword(service, account) {
    const { status, stdout, stderr } = await run(['lookup', ...of(service, account)], READING_MS);
    if (status === 0) return stdout;
    if (stderr === '') return null;
    throw new Error(stderr);
  },
  async setPassword(service, account, password) {
    const args = ['store', `--label=${service}/${account}`, ...of(service, account)];
    const { status, stderr } = await run(args, CHANGING_MS, password);
    if (status !== 0) throw new Error(stderr || 'secret-tool could not store it');
  },
  async deletePassword(service, account) {
    const { status, stderr } = await run(['clear', ...of(service, account)], CHANGING_MS);
    if (status !== 0 && stderr !== '') throw new Error(stderr);
    return status === 0;
  },
};

function of(service: string, account: string): string[] {
  return [...SCHEMA, 'service', service, 'account', account];
}

interface ToolEnd {
  readonly status: number | null;
  readonly stdout: string;
  /** Without the program's name. */
  readonly stderr: string;
}

function run(args: readonly string[], timeout: number, input = ''): Promise<ToolEnd> {
  return new Promise((resolve, reject) => {
    const child = execFile('secret-tool', [...args], { timeout }, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error('secret-tool gave no answer'));
      else
        resolve({
          status: child.exitCode,
          stdout,
          stderr: stderr.trim().replace(/^secret-tool: /, ''),
        });
    });
    // The program may end before it reads its input; its exit status says why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
