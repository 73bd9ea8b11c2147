import type { Format } from '../../format.ts';
import { databaseAt, movedWords, type InDatabase } from '../errors/ledger.ts';
import { limitWords, type Left } from '../notes.ts';

/** Commands that run the agent or show how it is doing: run, status, top, console, check, doctor, alerts, reload. */
export const watchingHelp = {
  run: {
    about: 'watch the folders and upload new scans',
    once: 'send what is waiting, then exit',
    wait: 'with --once: how long to wait if the service does not answer',
    dryRun: 'show what would be sent, and under which names; nothing is sent or recorded',
    verbose: 'on a terminal: show log lines instead of a progress line',
    yes: "don't ask before sending a folder with many files for the first time",
    statuses:
      '6 another receiptd uses this state directory; 130 stopped by a signal. With --once, for this run alone: 0 all done; 3 a document failed or was lost, or a file that may be a receipt was rejected; 4 something is waiting (a hold, a missing folder, an incomplete file); 5 the service could not be reached',
  },
  status: {
    about: 'show whether receiptd works, what is waiting and why, and what needs a person',
    json: 'as JSON: { daemon, silent, ledger, problems, counts, holds, oldestWaiting }',
    running: 'fail if no agent answers; for containers and watchdogs',
    statuses: '1 an agent is running, but gives no usable answer; with --running also if none is running',
  },
  top: {
    about: 'show the status live, with the current rate and when the backlog will be empty',
    every: 'how often to update',
  },
  console: {
    about: 'open the console of the running agent in a browser',
    noOpen: 'print the link only',
    more: "The link works once, within five minutes. Don't share it.",
  },
  consolePassword: {
    about: 'set a password for the console, for people who have no link',
    remove: 'remove the password; links still work',
    more: (shortest: number) =>
      `At least ${shortest} characters. receiptd prompts for it without showing it, or reads it from standard input; it is never an argument.`,
  },
  check: {
    about:
      'check config, folders, permissions, credentials, alerts, disk space and watch limits, and say what to fix',
    json: 'as JSON: [{ level, subject, message, fact }]',
  },
  doctor: {
    about: 'say what is wrong, and write a file for support: no secrets, no images, no names',
    output: 'file to create; defaults to receiptd-doctor-TIME.tar.gz in this directory',
    list: 'write nothing; show what the file would contain',
    withNames: 'include names of files, folders, endpoints and documents; never secrets',
    more: 'Works with or without a running agent, even if the configuration, the ledger or the disk is the problem.\nNames are replaced by placeholders such as name-1f2e3d4c; within one file, the same name gets the same placeholder.',
  },
  alerts: {
    about: 'show open problems, since when, and who was alerted',
    json: 'as JSON: { channels, quietUntil, open }',
  },
  alertsTest: {
    about: 'send a test alert through every configured channel',
    json: 'as JSON: [{ channel, problem, error }]',
    more: 'The running agent sends the test; if none is running, this command does.',
  },
  reload: { about: 'apply the changed configuration to the running agent' },
  set: {
    about: 'change a setting in the config file, and apply it to the running agent',
    key: 'setting, such as delivery.rate or folders[0].name (docs/configuration.md)',
    value: 'new value, as in the config file: 30/min, true, [jpeg, png]',
    folder: 'the key is a setting of this folder, such as silentAfter',
    default: 'remove the key, so that its default applies',
    json: 'print the file, the changed keys and those that need a restart as JSON',
  },
  folder: { about: 'list, add, replace and remove watched folders' },
  folderList: {
    about: 'list the folders of the configuration',
    json: 'as JSON: [{ path, endpoint, existing }]',
  },
  folderAdd: {
    about: 'watch a folder; files already in it are not sent unless you say so',
    path: 'folder to watch',
    endpoint: 'endpoint for its receipts (default: the only one)',
    existing: 'files already in it: send, skip, or since and a date',
  },
  folderReplace: { about: 'watch another folder instead, with the same settings' },
  folderRemove: { about: 'stop watching a folder; what waits from it is still sent', path: 'watched folder' },
};

export function watchingTexts(format: Format) {
  const { counted, number, plural, bytes, duration, time } = format;
  return {
    /** States of `list`, to follow a number or "it is". */
    stateWords: {
      queued: 'waiting to be sent',
      uploading: 'being sent',
      held: 'on hold',
      accepted: 'accepted',
      duplicate: 'duplicate (not sent again)',
      split: 'split into pages',
      rejected: 'not sent',
      failed: 'refused by the service, or moved to another endpoint',
      unconfirmed: 'with no clear answer from the service',
      lost: 'lost',
      incomplete: 'incomplete',
      unreadable: 'not readable',
      skipped: 'skipped, as configured',
    },
    status: {
      running: 'Running',
      runs: (p: { since: string; pid: number; version: string; inFlight: number }) =>
        `since ${time(p.since)} (process ${p.pid}, version ${p.version}); ${counted(p.inFlight, 'upload is', 'uploads are')} under way.`,
      silent: 'No usable answer',
      silentWhy: (why: string) => `from the agent: ${why}`,
      notRunning: 'Not running.',
      movedAway: (p: { at: string | null; file: string; isCopy: boolean }) =>
        `${movedWords(p)} To let receiptd run here again: \`receiptd backup --reopen\`.`,
      startWith: (command: string) => `Start it with \`${command}\`.`,
      shared: (p: InDatabase & { agent: string }) =>
        `The ledger is ${databaseAt(p)}, shared by several agents. This agent is ${p.agent}.`,
      needsAttention: 'Needs a person:',
      paused: 'Paused:',
      resolves: 'Resolves itself:',
      allWell: 'Nothing is wrong.',
      nothingWaits: 'Nothing is waiting to be sent.',
      /** `oldestMs`: how long the oldest has waited; null if unknown. */
      waiting: (n: number, oldestMs: number | null) =>
        `${counted(n, 'document is', 'documents are')} waiting to be sent${oldestMs === null ? '' : `, the oldest for ${duration(oldestMs)}`}.`,
      spool: (p: { images: number; used: number; limit: number }) =>
        `${plural(p.images, 'A copy', 'Copies')} of ${counted(p.images, 'image is', 'images are')} kept in the state directory (${bytes(p.used)} of at most ${bytes(p.limit)}).`,
      folder: (p: { alias: string }) => `→ endpoint ${p.alias}`,
      notWatched: 'Not watched now.',
      otherFolders: 'Not in a watched folder (former folders, and files from `receiptd send`)',
      nothingSeen: 'Nothing seen yet.',
    },
    /** Parts of a sentence about a folder. */
    folderWatch: {
      states: {
        watching: (since: string) => `Watched since ${time(since)}`,
        starting: (since: string) => `Being listed for the first time, since ${time(since)}`,
        standby: (since: string) => `On standby since ${time(since)}; its documents are also sent from here`,
        paused: (_since: string) => 'Watched, and its uploads are paused',
        missing: (since: string) => `Missing since ${time(since)}`,
        notADirectory: (since: string) => `Not a folder since ${time(since)}`,
        unreadable: (since: string) => `Not readable since ${time(since)}`,
        unreachable: (since: string) => `Not reachable since ${time(since)}`,
        taken: (since: string) => `Watched by another agent since ${time(since)}`,
      },
      events: 'new files are noticed at once',
      polled: (everyMs: number) => `listed every ${duration(everyMs)}`,
      fileSystem: (name: string) => `file system ${name}`,
      notListed: 'not listed yet',
      listed: (at: string) => `last listed ${time(at)}`,
      settling: (n: number) => `${counted(n, 'file is', 'files are')} still settling`,
      noRoom: (n: number) => `${counted(n, 'file is', 'files are')} waiting to be taken in`,
    },
    top: {
      quit: 'Press q to quit.',
      measuring: 'Measuring the rate …',
      perMinute: (n: number) => `${number(n)} accepted per minute`,
      empty: 'The backlog is empty.',
      emptyIn: (waiting: number, ms: number) =>
        `At this rate, the backlog of ${number(waiting)} will be empty in about ${duration(ms)}.`,
      noEstimateYet: (waiting: number) => `The backlog is ${number(waiting)}; no estimate yet.`,
      noEstimate: (waiting: number) =>
        `The backlog is ${number(waiting)}; no estimate, because nothing was accepted.`,
      held: (n: number) => `${counted(n, 'document is', 'documents are')} on hold.`,
    },
    run: {
      watching: (folders: number) =>
        `Watching ${counted(folders, 'folder', 'folders')}. Press Ctrl-C to stop; --verbose shows each step.`,
      stopping: (uploads: number) =>
        `Stopping; waiting for ${counted(uploads, 'upload', 'uploads')} to finish. Press Ctrl-C again to stop now.`,
      stopped: (accepted: number, waiting: number) =>
        `Stopped. ${number(accepted)} accepted since the start, ${waiting === 0 ? 'nothing waits' : `${number(waiting)} waiting`}.`,
      ledgerUnreachable: 'The ledger cannot be reached.',
      ledgerUnreadable: 'The ledger cannot be read.',
      manyFiles: (folder: string, files: number) =>
        `${folder} contains ${counted(files, 'file', 'files')}, and all of them would be sent. Continue?`,
    },
    /** Parts of the progress line. */
    progress: {
      accepted: (n: number) => `${number(n)} accepted`,
      waiting: (n: number) => (n === 0 ? 'nothing waits' : `${number(n)} waiting`),
      held: (n: number) => `${number(n)} of them on hold`,
      perMinute: (n: number) => `${number(n)}/min`,
      left: (ms: number) => `about ${duration(ms)} left`,
      limited: (p: { rate: string; left: Left }) => limitWords(format, p),
      last: (name: string) => `last ${name}`,
    },
    once: {
      nothing: 'Nothing to send',
      accepted: (n: number) => `${number(n)} accepted`,
      waiting: (n: number) => `${number(n)} waiting`,
      /** `summary`: each reason with its number. */
      notSent: (n: number, summary: string) => `${number(n)} not sent (${summary})`,
      unreadable: (n: number) => counted(n, 'unreadable directory', 'unreadable directories'),
      unlisted: (folder: string) => `${folder} can't be listed`,
      unreachable: 'the service could not be reached',
      orphaned: (n: number) =>
        `${counted(n, 'document waits', 'documents wait')} for an endpoint that is no longer in the config. \`receiptd status\` says what to do.`,
      earlier: (summary: string) =>
        `From earlier runs: ${summary}. \`receiptd list --needs-person\` lists everything that needs a person.`,
    },
    dryRun: {
      columns: { would: 'WOULD', name: 'NAME', file: 'FILE', why: 'WHY' },
      sums: {
        send: 'to send',
        nothing: 'already recorded',
        duplicate: 'identical to another image',
        reject: "that can't be sent",
        skip: 'to skip',
        wait: 'to wait for',
      },
      queued: (n: number) => `${counted(n, 'queued document', 'queued documents')} would be sent as well.`,
      held: (n: number) =>
        `${counted(n, 'document is', 'documents are')} on hold; \`receiptd status\` says why.`,
      none: 'No files',
      nothingDone: 'Nothing was sent or recorded.',
    },
    console: {
      removed: 'Removed the console password.',
      none: 'The console has no password.',
      set: 'Set the console password. Everyone who signed in with the old one is signed out.',
      onDemand: (file: string) =>
        `The console is only open after \`receiptd console\`. To sign in without it, give the console a fixed address in ${file}: console: { listen: "127.0.0.1:8471" }`,
      opening: 'Your browser should open now. If it does not, open the link yourself within five minutes.',
      notOpened: 'No browser could be opened. Open the link yourself within five minutes.',
      root: 'Browsers should not run as root. Open the link yourself within five minutes.',
      noDisplay: 'There is no display here. Open the link yourself within five minutes.',
      ssh: (command: string) =>
        `Open the link on your own computer within five minutes. If it can't reach this machine, run this there first: ${command}`,
      /** Placeholders in that command. */
      there: 'USER@THIS-MACHINE',
      unused: 'Nobody opened the link within five minutes. Run this again for a new link.',
    },
    doctor: {
      failed: (failed: number, warned: number) =>
        `${counted(failed, 'problem', 'problems')} to fix, ${counted(warned, 'warning', 'warnings')}.`,
      warned: (n: number) => `receiptd works; ${counted(n, 'warning', 'warnings')}.`,
      allWell: 'All is well.',
      wouldContain: 'The file would contain:',
      wrote: (p: { file: string; isPrivate: boolean; withNames: boolean }) =>
        `Wrote ${p.file}, ${p.isPrivate ? 'readable only by you' : 'readable by anyone who can read its folder'}${p.withNames ? '; it holds names' : ''}. In it:`,
    },
    alerts: {
      noChannel: 'No alerts are sent: no channel is configured under `alerts`.',
      sentBy: (channels: readonly string[], quietUntil: string | null) =>
        `Sent by ${channels.join(', ')}.${quietUntil === null ? '' : ` Quiet hours until ${time(quietUntil)}.`}`,
      allWell: 'Nothing is wrong.',
      since: (at: string) => `Since ${time(at)}.`,
      over: (at: string) => `Over since ${time(at)}:`,
      began: (at: string) => `It began at ${time(at)}.`,
      recovery: 'You get a recovery alert if it does not come back.',
      sent: (at: string, by: readonly string[], notYet: readonly string[]) =>
        `Sent at ${time(at)} by ${by.join(', ')}${notYet.length === 0 ? '' : `, not yet by ${notYet.join(', ')}`}.`,
      sending: (channels: readonly string[]) => `Being sent (${channels.join(', ')}).`,
      untold: {
        quietHours: 'Not sent yet: quiet hours.',
        soon: 'Not sent yet: it goes out within minutes, together with others.',
        noChannel: 'Not sent: no channel can deliver it.',
        young: 'Not sent yet: the problem may resolve soon (`alerts.after`).',
        failed: 'Not delivered: every channel failed.',
      },
      delivered: 'delivered',
      undelivered: (why: string) => `not delivered: ${why}`,
    },
    settings: {
      written: (keys: readonly string[], file: string) => `Changed ${keys.join(', ')} in ${file}.`,
      unchanged: (file: string) => `${file} has this value already.`,
      notRunning: 'No agent is running; the change applies from its next start.',
      missing: (path: string) => `${path} does not exist yet. receiptd watches it once it does.`,
      columns: { folder: 'FOLDER', endpoint: 'ENDPOINT', existing: 'FILES ALREADY IN IT' },
    },
    reload: {
      done: (file: string) => `${file} is in effect.`,
      restart: (keys: readonly string[]) => `These changes need a restart: ${keys.join(', ')}.`,
    },
  };
}
