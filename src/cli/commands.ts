import type { Command } from './command.ts';
import type { ExitStatus } from './exitStatus.ts';
import type { Io } from './io.ts';

/** Adds the commands of one file in this folder to the program. */
type Add = (program: Command, io: Io, done: (status: ExitStatus) => void) => void;

interface CommandEntry {
  readonly names: readonly string[];
  /** Its heading in the help. */
  readonly group: 'everyday' | 'repair' | 'admin';
  readonly load: () => Promise<Add>;
}

/** In the order of the help. Loaded on demand: together they are about 500 modules and take a third of a second. */
const COMMANDS: readonly CommandEntry[] = [
  { names: ['setup'], group: 'everyday', load: async () => (await import('./setup.ts')).addSetup },
  { names: ['run'], group: 'everyday', load: async () => (await import('./run.ts')).addRun },
  { names: ['status'], group: 'everyday', load: async () => (await import('./status.ts')).addStatus },
  { names: ['top'], group: 'everyday', load: async () => (await import('./top.ts')).addTop },
  { names: ['console'], group: 'everyday', load: async () => (await import('./console.ts')).addConsole },
  { names: ['list'], group: 'everyday', load: async () => (await import('./list.ts')).addList },
  { names: ['show'], group: 'everyday', load: async () => (await import('./show.ts')).addShow },
  { names: ['send'], group: 'everyday', load: async () => (await import('./send.ts')).addSend },
  {
    names: ['pause', 'resume'],
    group: 'everyday',
    load: async () => (await import('./change.ts')).addPauses,
  },
  { names: ['logs'], group: 'repair', load: async () => (await import('./logs.ts')).addLogs },
  { names: ['check'], group: 'repair', load: async () => (await import('./check.ts')).addCheck },
  { names: ['retry', 'resend'], group: 'repair', load: async () => (await import('./change.ts')).addResends },
  { names: ['move'], group: 'repair', load: async () => (await import('./change.ts')).addMoves },
  { names: ['dismiss'], group: 'repair', load: async () => (await import('./dismiss.ts')).addDismiss },
  { names: ['results'], group: 'repair', load: async () => (await import('./results.ts')).addResults },
  { names: ['export'], group: 'repair', load: async () => (await import('./export.ts')).addExport },
  { names: ['audit'], group: 'repair', load: async () => (await import('./audit.ts')).addAudit },
  { names: ['erase'], group: 'repair', load: async () => (await import('./erase.ts')).addErase },
  { names: ['ledger'], group: 'repair', load: async () => (await import('./ledger.ts')).addLedger },
  { names: ['doctor'], group: 'repair', load: async () => (await import('./doctor.ts')).addDoctor },
  { names: ['backup'], group: 'repair', load: async () => (await import('./backup.ts')).addBackup },
  { names: ['restore'], group: 'repair', load: async () => (await import('./restore.ts')).addRestore },
  { names: ['init'], group: 'admin', load: async () => (await import('./init.ts')).addInit },
  { names: ['login', 'logout'], group: 'admin', load: async () => (await import('./login.ts')).addLogin },
  { names: ['whoami'], group: 'admin', load: async () => (await import('./whoami.ts')).addWhoami },
  { names: ['endpoint'], group: 'admin', load: async () => (await import('./endpoint.ts')).addEndpoint },
  { names: ['service'], group: 'admin', load: async () => (await import('./service.ts')).addService },
  {
    names: ['set', 'folder'],
    group: 'admin',
    load: async () => (await import('./settings.ts')).addSettings,
  },
  { names: ['reload'], group: 'admin', load: async () => (await import('./reload.ts')).addReload },
  { names: ['alerts'], group: 'admin', load: async () => (await import('./alerts.ts')).addAlerts },
  { names: ['fleet'], group: 'admin', load: async () => (await import('./fleet.ts')).addFleet },
  {
    names: ['completion'],
    group: 'admin',
    load: async () => (await import('./completion.ts')).addCompletion,
  },
  { names: ['complete'], group: 'admin', load: async () => (await import('./complete.ts')).addComplete },
  { names: ['sandbox'], group: 'admin', load: async () => (await import('./sandbox.ts')).addSandbox },
];

/** Options that are handled before any command. */
const NEEDS_NONE: readonly (string | undefined)[] = ['--version', '-V'];

/** The commands that a command line needs; all of them if it names none, to list or suggest them. */
export async function commandsFor([first, ...rest]: readonly string[]): Promise<readonly Add[]> {
  if (NEEDS_NONE.includes(first)) return [];
  const named = (word: string | undefined): readonly CommandEntry[] =>
    COMMANDS.filter(({ names }) => names.some((name) => name === word));
  // Shells call `complete -- =WORD BEFORE...`: the words before the one being typed come after it.
  const asked = first === 'complete' ? named(rest[2]) : named(first);
  if (asked.length === 0) return Promise.all(COMMANDS.map(inGroup));
  return Promise.all([...(first === 'complete' ? named(first) : []), ...asked].map(inGroup));
}

async function inGroup({ group, load }: CommandEntry): Promise<Add> {
  const add = await load();
  return (program, io, done) => {
    program.commandsGroup(io.texts.headings[group]);
    add(program, io, done);
  };
}
