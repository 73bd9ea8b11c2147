import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeRedirect } from '../console/server/redirect.ts';

/** Null: there is a desktop on which a browser can be opened. */
export function whyNoBrowser(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  uid: number | undefined,
): 'ssh' | 'root' | 'noDisplay' | null {
  const display = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (!display && (env['SSH_CONNECTION'] || env['SSH_TTY'])) return 'ssh';
  if (uid === 0) return 'root';
  return platform === 'win32' || platform === 'darwin' || display ? null : 'noDisplay';
}

/**
 * The browser gets the name of a private file that leads on: what stands on a command line can be read by every user
 * of the machine, and the link signs in anyone who uses it first.
 */
export async function openBrowser(
  stateDir: string,
  url: string,
  env: NodeJS.ProcessEnv,
  note: (line: string) => void,
): Promise<void> {
  const [program, ...args] = openerFor(process.platform);
  try {
    const page = pathToFileURL(await pageFor(stateDir, url, env)).href;
    await new Promise<void>((resolve, reject) => {
      const child = spawn(program, [...args, page], { stdio: 'ignore', detached: true });
      child.once('error', reject);
      child.once('spawn', () => {
        child.unref();
        resolve();
      });
    });
    note('A browser opens. If it does not show the console, open the link yourself within five minutes.');
  } catch {
    note('No browser could be opened: open the link yourself within five minutes.');
  }
}

async function pageFor(stateDir: string, url: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return await writeRedirect(stateDir, url);
  } catch {
    // A member of control.group may pass through the state directory, and not write there.
    const own = await mkdtemp(join(env['XDG_RUNTIME_DIR'] || tmpdir(), 'receiptd-'));
    return writeRedirect(own, url);
  }
}

function openerFor(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
