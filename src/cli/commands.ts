import type { Command } from './command.ts';
import type { ExitStatus } from './exitStatus.ts';
import type { Io } from './io.ts';

/** Adds the commands of one file in this folder to the program. */
type Add = (program: Command, io: Io, done: (status: ExitStatus) => void) => void;

/** Headings of the help. */
const EVERYDAY = 'Everyday:';
const REPAIR = 'Repair and audit:';
const ADMIN = 'Administration:';

interface Entry {
  readonly names: readonly string[];
  readonly group: string;
  readonly load: () => Promise<Add>;
}

/** In the order of the help. Loaded on demand: together they are about 500 modules and take a third of a second. */
const COMMANDS: readonly Entry[] = [
  { names: ['setup'], group: EVERYDAY, load: async () => (await import('./setup.ts')).addSetup },
  { names: ['run'], group: EVERYDAY, load: async () => (await import('./run.ts')).addRun },
  { names: ['status'], group: EVERYDAY, load: async () => (await import('./status.ts')).addStatus },
  { names: ['top'], group: EVERYDAY, load: async () => (await import('./top.ts')).addTop },
  { names: ['console'], group: EVERYDAY, load: async () => (await import('./console.ts')).addConsole },
  { names: ['list'], group: EVERYDAY, load: async () => (await import('./list.ts')).addList },
  { names: ['show'], group: EVERYDAY, load: async () => (await import('./show.ts')).addShow },
  { names: ['send'], group: EVERYDAY, load: async () => (await import('./send.ts')).addSend },
  { names: ['pause', 'resume'], group: EVERYDAY, load: async () => (await import('./change.ts')).addPauses },
  { names: ['check'], group: REPAIR, load: async () => (await import('./check.ts')).addCheck },
  { names: ['retry', 'resend'], group: REPAIR, load: async () => (await import('./change.ts')).addResends },
  { names: ['move'], group: REPAIR, load: async () => (await import('./change.ts')).addMoves },
  { names: ['dismiss'], group: REPAIR, load: async () => (await import('./dismiss.ts')).addDismiss },
  { names: ['results'], group: REPAIR, load: async () => (await import('./results.ts')).addResults },
  { names: ['export'], group: REPAIR, load: async () => (await import('./export.ts')).addExport },
  { names: ['audit'], group: REPAIR, load: async () => (await import('./audit.ts')).addAudit },
  { names: ['erase'], group: REPAIR, load: async () => (await import('./erase.ts')).addErase },
  { names: ['ledger'], group: REPAIR, load: async () => (await import('./ledger.ts')).addLedger },
  { names: ['doctor'], group: REPAIR, load: async () => (await import('./doctor.ts')).addDoctor },
  { names: ['backup'], group: REPAIR, load: async () => (await import('./backup.ts')).addBackup },
  { names: ['restore'], group: REPAIR, load: async () => (await import('./restore.ts')).addRestore },
  { names: ['init'], group: ADMIN, load: async () => (await import('./init.ts')).addInit },
  { names: ['login', 'logout'], group: ADMIN, load: async () => (await import('./login.ts')).addLogin },
  { names: ['whoami'], group: ADMIN, load: async () => (await import('./whoami.ts')).addWhoami },
  { names: ['endpoint'], group: ADMIN, load: async () => (await import('./endpoint.ts')).addEndpoint },
  { names: ['service'], group: ADMIN, load: async () => (await import('./service.ts')).addService },
  { names: ['reload'], group: ADMIN, load: async () => (await import('./reload.ts')).addReload },
  { names: ['alerts'], group: ADMIN, load: async () => (await import('./alerts.ts')).addAlerts },
  { names: ['fleet'], group: ADMIN, load: async () => (await import('./fleet.ts')).addFleet },
  { names: ['completion'], group: ADMIN, load: async () => (await import('./completion.ts')).addCompletion },
  { names: ['complete'], group: ADMIN, load: async () => (await import('./complete.ts')).addComplete },
  { names: ['sandbox'], group: ADMIN, load: async () => (await import('./sandbox.ts')).addSandbox },
];

/** Options that are handled before any command. */
const NEEDS_NONE: readonly (string | undefined)[] = ['--version', '-V'];

/** The commands that a command line needs; all of them if it names none, to list or suggest them. */
export async function commandsFor([first, ...rest]: readonly string[]): Promise<readonly Add[]> {
  if (NEEDS_NONE.includes(first)) return [];
  const named = (word: string | undefined): readonly Entry[] =>
    COMMANDS.filter(({ names }) => names.some((name) => name === word));
  // Shells call `complete -- =WORD BEFORE...`: the words before the one being typed come after it.
  const asked = first === 'complete' ? named(rest[2]) : named(first);
  if (asked.length === 0) return Promise.all(COMMANDS.map(inGroup));
  return Promise.all([...(first === 'complete' ? named(first) : []), ...asked].map(inGroup));
}

async function inGroup({ group, load }: Entry): Promise<Add> {
  const add = await load();
  return (program, io, done) => {
    program.commandsGroup(group);
    add(program, io, done);
  };
}
