import type { Command } from 'commander';
import type { ExitStatus } from './exitStatus.ts';
import type { Io } from './io.ts';

/** Adds to the program what one file of this folder knows of. */
type Add = (program: Command, io: Io, done: (status: ExitStatus) => void) => void;

interface Entry {
  readonly names: readonly string[];
  readonly load: () => Promise<Add>;
}

/** In the order of the help. Loaded on demand: all of them together are some 500 modules, and a third of a second. */
const COMMANDS: readonly Entry[] = [
  { names: ['setup'], load: async () => (await import('./setup.ts')).addSetup },
  { names: ['init'], load: async () => (await import('./init.ts')).addInit },
  { names: ['check'], load: async () => (await import('./check.ts')).addCheck },
  { names: ['login', 'logout'], load: async () => (await import('./login.ts')).addLogin },
  { names: ['whoami'], load: async () => (await import('./whoami.ts')).addWhoami },
  { names: ['endpoint'], load: async () => (await import('./endpoint.ts')).addEndpoint },
  { names: ['run'], load: async () => (await import('./run.ts')).addRun },
  { names: ['service'], load: async () => (await import('./service.ts')).addService },
  { names: ['reload'], load: async () => (await import('./reload.ts')).addReload },
  { names: ['status'], load: async () => (await import('./status.ts')).addStatus },
  { names: ['top'], load: async () => (await import('./top.ts')).addTop },
  { names: ['console'], load: async () => (await import('./console.ts')).addConsole },
  { names: ['alerts'], load: async () => (await import('./alerts.ts')).addAlerts },
  { names: ['list'], load: async () => (await import('./list.ts')).addList },
  { names: ['show'], load: async () => (await import('./show.ts')).addShow },
  {
    names: ['retry', 'resend', 'pause', 'resume'],
    load: async () => (await import('./change.ts')).addChanges,
  },
  { names: ['fleet'], load: async () => (await import('./fleet.ts')).addFleet },
  { names: ['results'], load: async () => (await import('./results.ts')).addResults },
  { names: ['export'], load: async () => (await import('./export.ts')).addExport },
  { names: ['audit'], load: async () => (await import('./audit.ts')).addAudit },
  { names: ['erase'], load: async () => (await import('./erase.ts')).addErase },
  { names: ['ledger'], load: async () => (await import('./ledger.ts')).addLedger },
  { names: ['doctor'], load: async () => (await import('./doctor.ts')).addDoctor },
  { names: ['backup'], load: async () => (await import('./backup.ts')).addBackup },
  { names: ['restore'], load: async () => (await import('./restore.ts')).addRestore },
  { names: ['completion'], load: async () => (await import('./completion.ts')).addCompletion },
  { names: ['complete'], load: async () => (await import('./complete.ts')).addComplete },
  { names: ['sandbox'], load: async () => (await import('./sandbox.ts')).addSandbox },
];

/** What is said before anything of a command matters. */
const NEEDS_NONE: readonly (string | undefined)[] = ['--version', '-V'];

/** What tells of all the others. */
const NEEDS_ALL: readonly (string | undefined)[] = ['completion'];

/** `first`: the first word of the command line. Anything but a command's name needs them all: to be listed, or guessed at. */
export async function commandsFor(first: string | undefined): Promise<readonly Add[]> {
  if (NEEDS_NONE.includes(first)) return [];
  const asked = NEEDS_ALL.includes(first)
    ? COMMANDS
    : COMMANDS.filter(({ names }) => names.some((name) => name === first));
  return Promise.all((asked.length > 0 ? asked : COMMANDS).map(({ load }) => load()));
}
