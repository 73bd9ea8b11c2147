import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeRedirect } from '../console/server/redirect.ts';
import type { CliTexts } from '../texts/cli.ts';
import type { Io } from './io.ts';

/** Why no browser can be opened; null if one can. */
function whyNoBrowser(
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
 * Opens a sign-in link, or tells the person how to. `stateDir`: null if it does not exist yet.
 * @returns the redirect page, if the caller has to delete it
 */
export async function showLink(io: Io, stateDir: string | null, url: string): Promise<string | null> {
  // On stderr: only the link is the result.
  const note = (line: string) => void io.stderr.write(`${line}\n`);
  const why = whyNoBrowser(io.env, process.platform, process.geteuid?.());
  if (why === null) return openBrowser(io, stateDir, url, note);
  note(adviceFor(why, url, io.texts.console));
  return null;
}

function adviceFor(why: 'ssh' | 'root' | 'noDisplay', url: string, words: CliTexts['console']): string {
  if (why !== 'ssh') return words[why];
  const { hostname, port } = new URL(url);
  return words.ssh(`ssh -L ${port}:${hostname}:${port} ${words.there}`);
}

/**
 * Starts the browser with a private file that redirects to the link: every user of the machine can read command lines,
 * and the link signs in whoever uses it first.
 */
async function openBrowser(
  { env, texts: { console: words } }: Io,
  stateDir: string | null,
  url: string,
  note: (line: string) => void,
): Promise<string | null> {
  const [program, ...args] = openerFor(process.platform);
  try {
    const file = await pageFor(stateDir, url, env);
    const page = pathToFileURL(file).href;
    await new Promise<void>((resolve, reject) => {
      const child = spawn(program, [...args, page], { stdio: 'ignore', detached: true });
      child.once('error', reject);
      child.once('spawn', () => {
        child.unref();
        resolve();
      });
    });
    note(words.opening);
    return stateDir === null ? file : null;
  } catch {
    note(words.notOpened);
    return null;
  }
}

async function pageFor(stateDir: string | null, url: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    if (stateDir !== null) return await writeRedirect(stateDir, url);
  } catch {
    // A member of control.group can enter the state directory but not write to it.
  }
  const own = await mkdtemp(join(env['XDG_RUNTIME_DIR'] || tmpdir(), 'receiptd-'));
  return writeRedirect(own, url);
}

function openerFor(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
