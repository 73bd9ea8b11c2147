import type { Format } from '../../format.ts';
import {
  restoredOn,
  restoreRisks,
  withoutImage,
  type RestoredOn,
  type RestoreRisks,
} from '../errors/commands.ts';

const PASSWORD =
  'The password comes from --password-file, PGPASSWORD or ~/.pgpass; the address must not contain one.';
const WHAT_RETIRES =
  'Documents of its own folders that still wait count as lost: scan these receipts again. Documents of shared folders, and results that it had not handed on, go to the agent of this machine.';

/** Commands about the ledger as a whole: ledger, fleet, backup, restore. */
export const ledgerHelp = {
  ledger: { about: 'verify, share and move the ledger' },
  ledgerHead: {
    about: "print the number and hash of the journal's last entry; keep them where nobody can change both",
    json: 'as JSON: { ledger, seq, hash, at }, for `ledger verify --head`',
  },
  ledgerVerify: {
    about: 'read the whole journal and ledger, and find any change made to either',
    head: 'a head that you kept: a file from `ledger head --json`, or NUMBER:HASH',
    json: 'as JSON: { verdict, against, journal, ledger }',
    statuses: '3 something was changed',
    more: 'Without a head kept elsewhere, a journal that was cut off at the end or rewritten completely looks valid.\ndocs/audit.md explains what this proves, what it cannot prove, and how to verify without receiptd.',
  },
  /** Of prepare, migrate and archive. */
  ledgerTarget: {
    to: 'the database: postgres://user@host/database; defaults to the one in the config',
    passwordFile: "file that contains that user's password",
    ca: 'certificate authorities for the database (PEM)',
    allowInsecure: 'same as ledger.allowInsecure in the config',
  },
  ledgerPrepare: {
    about:
      'create or upgrade a shared ledger in PostgreSQL, and grant the agents their privileges; run by its owner',
    role: 'database role of the agents; it gets only the privileges they need',
    json: 'as JSON: { where, roles }',
    more: `Run it again after each receiptd update, before you start the agents.\n${PASSWORD}`,
  },
  ledgerMigrate: {
    about: "move this machine's ledger into a shared one, and compare every row",
    agent: "this machine's name in the shared ledger; defaults to the host name",
    json: 'as JSON: { where, agent, rows, twins, failed, renamed, head }',
    more: `The agent can keep running until almost the end. If the command is interrupted, run it again: it continues where it stopped.\n${PASSWORD}`,
  },
  ledgerArchive: {
    about: 'move old history of a shared ledger from the database into journal files; run by its owner',
    before: 'archive months that ended before this date: YYYY-MM-DD (UTC)',
    dir: 'existing directory to write the files to',
    gzip: 'compress the files',
    keep: 'write and check the files, but remove nothing from the database',
    json: 'as JSON: { where, files }',
    more: `Each file is a journal as described in docs/audit.md. Keep it as long as the law requires.\n${PASSWORD}`,
  },
  fleet: { about: 'manage agents that share a ledger in PostgreSQL' },
  fleetStatus: {
    about: 'show which agents share the ledger, how much each has waiting, and when they were last seen',
    json: 'as JSON: { agents }; null where the ledger is not shared',
  },
  fleetAgent: { agent: 'name of the agent, as `fleet status` shows it' },
  fleetPause: { about: 'stop an agent from sending; it still picks up scans' },
  fleetResume: { about: 'let an agent send again' },
  fleetRetire: {
    about: 'remove an agent for good; its pending documents are reassigned, or count as lost',
    more: WHAT_RETIRES,
  },
  backup: {
    about: 'back up ledger, journal, waiting images and settings to one file, and verify it; no secrets',
    file: 'file to create; without it, only the ledger is backed up, to `backups` in the state directory',
    final: 'close this PC: receiptd then refuses to run here',
    reopen: 'reopen a PC that --final closed',
    json: 'as JSON: { file, bytes, manifest, withoutImage }; without a file { file, head }',
    statuses: '6 --final while an agent is running: stop it first',
    more: 'Works while the agent runs. To move to another PC, stop the agent and add --final: otherwise both agents would send what is waiting. `receiptd restore` restores the file, here or on the other PC.',
  },
  restore: {
    about: 'restore a backup, completely or not at all; keeps what the journal here has recorded since',
    file: 'a file from `receiptd backup`, or a ledger from `backups` in the state directory',
    config: 'config file; if none exists, it is created from the backup, where setup would create it',
    replace: 'replace a different ledger that is here; the old one is set aside',
    older: 'go back to the backup, and discard what the ledger here has recorded since',
    beside: 'restore to a new folder, for viewing only; nothing here changes',
    json: 'as JSON: { documents, replayed, setAside, story, wroteConfig, misfits, setUpAgain }',
    statuses: '6 an agent is running: stop it first',
    more: 'Run it as root, or as the user that the agent runs as. What was here before is kept in `before-restore-*` in the state directory.\nreceiptd asks first if two agents could end up sending the same receipts: if the backup is from another PC that was not closed with --final, or if the file was restored elsewhere.',
  },
};

export function ledgerTexts(format: Format) {
  const { counted, number, bytes, duration, time } = format;
  return {
    ledger: {
      /** Names of the rows; equally long. */
      head: { ledger: 'Ledger', entry: 'Entry ', hash: 'Hash  ' },
      journal: (entries: number) => `Journal: ${counted(entries, 'entry', 'entries')}.`,
      journalOf: (p: { entries: number; first: number; last: number }) =>
        `Journal: ${counted(p.entries, 'entry', 'entries')}, numbers ${number(p.first)} to ${number(p.last)}.`,
      notCompared: "Ledger:  can't be compared with the journal.",
      compared: (documents: number) =>
        `Ledger:  ${counted(documents, 'document', 'documents')}, compared with the journal.`,
      comparedSome: (documents: number, compared: number) =>
        `Ledger:  ${counted(documents, 'document', 'documents')}, ${number(compared)} of them compared with the journal.`,
      against: (seq: number) => `Head:    entry ${number(seq)}, compared with the head you kept.`,
      findings: (n: number) => `${counted(n, 'finding', 'findings')}:`,
      inJournal: (what: string) => `journal: ${what}`,
      inLine: (line: number, what: string) => `journal, line ${line}: ${what}`,
      inLedger: (what: string) => `ledger: ${what}`,
      more: (n: number) => `journal: and ${number(n)} more.`,
      noHead:
        'No head was given. Without one, nobody can tell whether the end was cut off or the whole journal rewritten.',
      note: 'Note:',
      partly: (before: number) =>
        `This journal is as receiptd wrote it, but entries 1 to ${before} are in another file and were not verified.`,
      sound: 'Everything is as receiptd wrote it.',
      keep: 'Keep both files as they are. docs/audit.md explains what each finding can mean.',
      last: (head: string) => `Last entry: ${head}`,
    },
    sharedLedger: {
      ready: (where: string) => `The ledger at ${where} is ready for this receiptd.`,
      roles: (roles: readonly string[]) => `Agents can use it as ${roles.join(', ')}.`,
      noRole:
        'No role was given for the agents. If they connect as the owner, they can change anything in it; see --role.',
      agentRuns:
        'Everything is moved except what the running agent still does. Stop it now, and do not start it again before you have changed its configuration.',
      movedBefore: 'This ledger was already moved; there is nothing left to do.',
      moved: (where: string, p: { documents: number; attempts: number; files: number }) =>
        `Moved to ${where}, and compared row by row: ${counted(p.documents, 'document', 'documents')}, ${counted(p.attempts, 'upload request', 'upload requests')}, ${counted(p.files, 'file', 'files')}.`,
      addToConfig: 'Now add this to the configuration, then start the agent:',
      oldStays: (p: { seq: number; stateDir: string }) =>
        `The old ledger and its journal, up to entry ${p.seq}, stay in ${p.stateDir} as evidence.`,
      oldErase:
        'They contain names and paths that `receiptd erase` cannot erase there. Remove them when you no longer need them.',
      twins: (n: number) =>
        `${counted(n, 'document', 'documents')} had the same image or name as a document from another machine; both are kept.`,
      failed: (n: number) =>
        `${counted(n, 'document that waited here and already existed there is', 'documents that waited here and already existed there are')} now failed: \`receiptd list --state failed\`.`,
      renamed: (n: number) =>
        `${counted(n, 'document that was never sent', 'documents that were never sent')} got a new name.`,
      progress: {
        entries: (n: number) => `${counted(n, 'entry', 'entries')} of the journal moved`,
        compared: (n: number) => `${counted(n, 'row', 'rows')} compared`,
      },
      archived: (p: { file: string; agent: string; from: number; to: number }) =>
        `Wrote ${p.file}: agent ${p.agent}, entries ${p.from} to ${p.to}.`,
      nothingToArchive: (before: string) => `No month of the history ended before ${before}.`,
      verified: 'The files were verified. The database still has all of the data.',
      removed: 'The files were verified, and their data was removed from the database.',
    },
    fleet: {
      paused: (agent: string) => `Agent ${agent} sends nothing.`,
      resumed: (agent: string) => `Agent ${agent} sends again.`,
      /** For an agent that does not run. `seen`: when it was last heard of. */
      away: {
        stopped: (agent: string, seen: string | null) =>
          `Agent ${agent} is stopped${seen === null ? '' : `, and was last heard of at ${time(seen)}`}.`,
        silent: (agent: string, seen: string | null) =>
          `Agent ${agent} is silent${seen === null ? '' : `, and was last heard of at ${time(seen)}`}.`,
      },
      thenPaused: 'Once it runs again, it sends nothing.',
      thenResumed: 'Once it runs again, it sends again.',
      retires: WHAT_RETIRES,
      retire: (agent: string, queued: number) =>
        `Retire agent ${agent}, for which ${counted(queued, 'document waits', 'documents wait')}?`,
      retired: (agent: string) => `Agent ${agent} is retired.`,
      lost: (n: number) =>
        `Lost: ${counted(n, 'document', 'documents')} of its own folders. \`receiptd list --state lost\` shows them.`,
      passedOn: (n: number) => `Passed on: ${counted(n, 'document', 'documents')} of shared folders.`,
      results: (n: number) => `Handed on from here: ${counted(n, 'result', 'results')}.`,
      notShared: 'This agent does not share its ledger. `receiptd status` shows how this agent is doing.',
      none: 'No agent has used this ledger yet.',
      columns: {
        agent: 'AGENT',
        host: 'HOST',
        version: 'VERSION',
        state: 'STATE',
        seen: 'LAST SEEN',
        queued: 'QUEUED',
        uploading: 'UPLOADING',
        leads: 'LEADS',
        holds: 'HOLDS',
        paused: 'PAUSED',
      },
      states: { running: 'running', stopped: 'stopped', silent: 'silent' },
      never: 'never',
      now: 'now',
      ago: (ms: number) => `${duration(ms)} ago`,
      pausedBy: (by: string, since: string) => `by ${by}, ${time(since)}`,
    },
    backup: {
      ledgerAlone: (p: { seq: number; hash: string }) =>
        `It contains the ledger up to journal entry ${p.seq}, hash ${p.hash}.`,
      nameAFile: 'To include waiting images and settings, name a file: `receiptd backup FILE`.',
      wrote: (p: { file: string; size: number; documents: number; waiting: number }) =>
        `Wrote and verified ${p.file} (${bytes(p.size)}): ${counted(p.documents, 'document', 'documents')}, ${number(p.waiting)} of them waiting.`,
      keepPrivate: 'The file contains receipts and names. Keep it as private as the ledger.',
      notInFile: 'Not in the file; if you restore it on another PC, set this up again there:',
      continues: 'This PC continues as before. To move to another PC, stop the agent and add --final.',
      closed: (stateDir: string) => `receiptd no longer runs on ${stateDir}. Next, on the other PC:`,
      ifThatFails: 'If that fails, reopen this PC with `receiptd backup --reopen`.',
      withoutImage,
      restoredOn: (p: RestoredOn) => restoredOn(p, format),
      moveAnyway: 'Move anyway?',
      neverClosed: 'receiptd was never closed here, so there is nothing to reopen.',
      reopened: 'receiptd can run here again. Make sure it does not run on another PC with the same state.',
      reopenAnyway: 'Reopen this PC?',
    },
    restore: {
      restored: (p: { file: string; stateDir: string; documents: number }) =>
        `Restored ${p.file} to ${p.stateDir}: ${counted(p.documents, 'document', 'documents')}.`,
      restoredOf: (p: {
        file: string;
        stateDir: string;
        documents: number;
        waiting: number;
        at: string | number;
      }) =>
        `Restored ${p.file} to ${p.stateDir}: ${counted(p.documents, 'document', 'documents')}, ${number(p.waiting)} of them waiting, state of ${time(p.at)}.`,
      replayed: (n: number) => `Added from the journal: ${counted(n, 'later entry', 'later entries')}.`,
      setAside: (dir: string) => `The previous state is kept in ${dir}.`,
      settings: (file: string) => `Wrote the settings to ${file}.`,
      copy: 'This copy is for viewing only; no agent runs on it. Next:',
      misfits: 'Some settings do not fit this machine. Correct the configuration, or create what is missing:',
      setUpAgain: 'Set these up again on this machine:',
      onlyHere:
        "Don't restore this file on another PC as well. It would send the same receipts again without knowing.",
      next: 'Next: `receiptd check`, then start the agent.',
      risks: (p: RestoreRisks) => restoreRisks(p, format),
      anyway: 'Restore it?',
    },
  };
}
