/**
 * `receiptd service` as another real user, with the built binary. Only the service manager is a stand-in, which records its arguments.
 * `npm run trial:boot` boots a real one.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Io } from '../../../src/cli/io.ts';
import { ioOf } from '../../../src/cli/language.ts';
import { installService, type InstallOptions } from '../../../src/cli/serviceInstall.ts';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Host } from '../../../src/features/os-service/host.ts';
import { MAIN, OFFICE, temporaryDirectory } from './agent.ts';

export const NOBODY = 65_534;

/** Records its arguments, and does nothing. */
const SYSTEMCTL = `#!/bin/sh
echo "systemctl $*" >> "$RECORD"
case "$*" in
  *Version*) echo Version=252 ;;
  "cat receiptd.service") cat "$RECORD.unit" ;;
  *"show receiptd.service"*) if [ -e "$RECORD.absent" ]; then echo LoadState=not-found
  elif [ -e "$RECORD.waits" ]; then
    printf 'LoadState=loaded\\nActiveState=failed\\nSubState=failed\\nStatusText=Stopping.\\nMainPID=0\\nResult=success\\nConditionResult=no\\n'
  elif [ -e "$RECORD.fails" ]; then
    printf 'LoadState=loaded\\nActiveState=failed\\nSubState=failed\\nMainPID=0\\nResult=exit-code\\nConditionResult=yes\\nInvocationID=0123456789abcdef0123456789abcdef\\n'
  else printf 'LoadState=loaded\\nActiveState=active\\nSubState=running\\nUnitFileState=enabled\\nStatusText=1 of 1 folder watched\\nMainPID=42\\nResult=success\\n'; fi ;;
  status*) printf '  Condition: start condition failed at Sun 2026-11-22 09:00:00 UTC; 1s ago\\n             └─ ConditionPathExists=/etc/receiptd/receiptd.yaml was not met\\n'; exit 3 ;;
  enable*) [ ! -e "$RECORD.refuses" ] || { echo 'Failed to enable unit.' >&2; exit 1; } ;;
  stop*) [ ! -e "$RECORD.denies" ] || { echo 'Failed to stop receiptd.service: Interactive authentication required.' >&2; exit 1; } ;;
  restart*) [ ! -e "$RECORD.fails" ] || { echo 'Job for receiptd.service failed.' >&2; exit 1; } ;;
esac
`;
/** The log of a failed run, if it exists. */
const JOURNALCTL = `#!/bin/sh
echo "journalctl $*" >> "$RECORD"
case "$*" in *_SYSTEMD_INVOCATION_ID=0123456789abcdef0123456789abcdef*) cat "$RECORD.fails" ;; esac
`;
/** An ended job is still listed three times. */
const LAUNCHCTL = `#!/bin/sh
echo "launchctl $*" >> "$RECORD"
case "$1" in
  print) [ ! -e "$RECORD.going" ] || { echo . >> "$RECORD.going"; [ $(wc -l < "$RECORD.going") -lt 4 ] || rm "$RECORD.going" "$RECORD.loaded"; }
    [ -e "$RECORD.loaded" ] || exit 113; printf 'receiptd = {\\n\\tstate = running\\n\\tpid = 42\\n}\\n' ;;
  bootstrap) [ ! -e "$RECORD.loaded" ] || { echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5; }; touch "$RECORD.loaded" ;;
  bootout) touch "$RECORD.going" ;;
esac
`;

export interface Place {
  readonly dir: string;
  readonly host: Host;
  readonly io: Io;
  readonly exec: string;
  readonly folder: string;
  readonly unit: string;
  asked(): Promise<string[]>;
  config(folder?: object): Promise<Config>;
}

/** `exec`: the built program, or one whose `check` finds nothing, for tests that do not need its findings. */
export async function place(exec: 'built' | 'content' = 'built'): Promise<Place> {
  const dir = await temporaryDirectory();
  await chmod(dir, 0o755);
  const [folder, bin, record] = [join(dir, 'scans'), join(dir, 'bin'), join(dir, 'record')];
  for (const each of [folder, bin, join(dir, 'etc'), join(dir, 'units')]) await mkdir(each, { mode: 0o755 });
  await writeFile(record, '');
  const program = join(bin, 'receiptd');
  const built = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  await writeFile(program, exec === 'built' ? built : "#!/bin/sh\necho '[]'\n");
  await writeFile(join(bin, 'systemctl'), SYSTEMCTL);
  await writeFile(join(bin, 'launchctl'), LAUNCHCTL);
  await writeFile(join(bin, 'journalctl'), JOURNALCTL);
  await writeFile(join(bin, 'useradd'), '#!/bin/sh\necho "useradd $*" >> "$RECORD"\nexit 1\n');
  for (const name of ['receiptd', 'useradd', 'systemctl', 'journalctl', 'launchctl'])
    await chmod(join(bin, name), 0o755);
  const env = { PATH: `${bin}:${process.env['PATH']}`, RECORD: record, HOME: dir };
  const host: Host = {
    platform: 'linux',
    uid: process.geteuid?.() ?? -1,
    userName: 'root',
    home: dir,
    env,
    definitionsDir: join(dir, 'units'),
  };
  const { stdin, stdout, stderr } = process;
  const stop = new AbortController().signal;
  const file = join(dir, 'etc/receiptd.yaml');
  return {
    dir,
    host,
    io: await ioOf({ stdin, stdout, stderr, env, cwd: dir, stop, onReload: () => () => {} }),
    exec: program,
    folder,
    unit: join(dir, 'units/receiptd.service'),
    asked: async () =>
      (await readFile(record, 'utf8'))
        .trim()
        .split('\n')
        .filter((line) => line !== ''),
    config: async (more = {}) => {
      const config = {
        service: { baseUrl: 'http://127.0.0.1:9' },
        endpoints: { office: { uid: OFFICE } },
        folders: [{ path: folder, endpoint: 'office', ...more }],
        stateDir: join(dir, 'state'),
      };
      await writeFile(file, JSON.stringify(config));
      await chmod(file, 0o644);
      return loadFrom({ dir }, file);
    },
  };
}

const UNIT = '/etc/systemd/system/receiptd.service';
const MOUNTED = `
  mount -t tmpfs none /run && mkdir -p /run/systemd/system && cp -a /etc /run/etc && mount --bind /run/etc /etc &&
  mkdir -p /etc/systemd/system && rm -f ${UNIT} && exec "$@"`;

/** Runs a program on a machine on which systemd runs, as far as files show it. */
export const onBooted = (...command: readonly string[]): string[] => [
  'unshare',
  '-m',
  'sh',
  '-c',
  MOUNTED,
  'sh',
  ...command,
];

/**
 * Runs these lines on such a machine: commands of receiptd, and other lines of shell.
 * @returns what booted.mjs prints
 */
export async function booted({ host }: Place, lines: string, env: NodeJS.ProcessEnv): Promise<string> {
  const here = {
    ...host.env,
    ...env,
    LINES: lines.trim().replaceAll(/^ +/gm, ''),
    MAIN,
    BUILT: new URL('./begin.js', pathToFileURL(MAIN)).href,
    UNIT,
  };
  const driver = fileURLToPath(new URL('booted.mjs', import.meta.url));
  const [program = '', ...args] = onBooted(process.execPath, driver);
  const { stdout } = await promisify(execFile)(program, args, { env: here });
  return stdout;
}

export const SYSTEM: InstallOptions = { scope: 'system', user: 'nobody', start: true, dryRun: false };

export function install(at: Place, config: Config, more: Partial<InstallOptions> = {}) {
  return installService(at.io, config, { ...SYSTEM, exec: at.exec, ...more }, at.host);
}

/** Loads the configuration from wherever it was moved. */
export function loadFrom({ dir }: Pick<Place, 'dir'>, file: string): Promise<Config> {
  return loadConfig(file, { env: {}, platform: 'linux', home: dir, cwd: dir, isRoot: true });
}
