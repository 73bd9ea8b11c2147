/** The starting point of `receiptd setup`: a home directory with a folder for scans, and a service. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import YAML from 'yaml';
import { managerHere } from '../../../src/cli/setup/install.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { ordinaryOwner } from '../../support/ordinaryUser.ts';
import { Terminal } from '../../support/terminal.ts';
import { MAIN, Site, practiceService, temporaryDirectory } from './agent.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { giveAway } from './commandLine.ts';
import { QuickTerminal } from './inProcess.ts';

export const SECRET = 'e2e-secret';

/** Whether a service can be installed here; if not, set-up does not offer it. */
export const { runs: runsServices } = managerHere(
  {
    platform: process.platform,
    isRoot: process.geteuid?.() === 0,
    env: {},
  },
  '/etc/receiptd/receiptd.yaml',
);

export interface How {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Run without root's rights; needs `giveAway` first. */
  readonly ordinary?: boolean;
}

const COLUMNS = 80;

export class Desk {
  readonly dir: string;
  readonly config: string;
  readonly scans: string;
  readonly sandbox: Sandbox;
  /** Runs commands without a terminal. */
  readonly site: Site;

  constructor(dir: string, sandbox: Sandbox) {
    this.dir = dir;
    this.config = join(dir, 'receiptd.yaml');
    this.scans = join(dir, 'home', 'Scans');
    this.sandbox = sandbox;
    this.site = new Site(dir, sandbox);
    this.site.env = { ...this.env };
  }

  get env(): Readonly<Record<string, string>> {
    const { PATH = '' } = process.env;
    const { dir } = this;
    const state = join(dir, 'state');
    return { PATH, HOME: join(dir, 'home'), TMPDIR: dir, TERM: 'xterm', RECEIPTD_STATE_DIR: state };
  }

  /** `receiptd setup` in a terminal. */
  setup(args: readonly string[] = [], { columns, env = {}, ordinary = false }: How = {}): Terminal {
    const command = [process.execPath, MAIN, 'setup', '--config', this.config, ...args];
    const user = ordinary && process.geteuid?.() === 0 ? ordinaryOwner() : null;
    const terminal = new Terminal(command, {
      cwd: this.dir,
      env: { ...this.env, ...env },
      ...(columns !== undefined && { columns }),
      ...(user && { user }),
    });
    cleanUp(() => terminal.close());
    return terminal;
  }

  /** Like `setup`, but in this process: for questions and answers, not for the behaviour of a terminal. */
  quickSetup(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): QuickTerminal {
    const command = ['setup', '--config', this.config, ...args];
    const surroundings = { cwd: this.dir, env: { ...this.env, ...env } };
    const terminal = new QuickTerminal(command, surroundings, COLUMNS);
    cleanUp(() => terminal.close());
    return terminal;
  }

  async settings(): Promise<Record<string, unknown>> {
    return YAML.parse(await readFile(this.config, 'utf8')) as Record<string, unknown>;
  }

  giveAway(): Promise<void> {
    return giveAway(this.dir);
  }
}

export async function desk(): Promise<Desk> {
  const dir = await temporaryDirectory();
  const made = new Desk(dir, await practiceService({ dir: join(dir, 'sandbox') }));
  await mkdir(made.scans, { recursive: true });
  return made;
}
