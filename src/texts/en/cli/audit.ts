import type { Format } from '../../format.ts';

export const auditHelp = {
  audit: {
    about: 'account for every file seen, and compare the ledger with the folders',
    day: 'count only files first seen on this day (YYYY-MM-DD, local time)',
    folder: 'only this folder',
    wait: 'how long to wait for a running agent to pick up a new file',
    json: 'as JSON (docs/commands.md lists the fields)',
    statuses:
      '3 files are not accounted for, or numbers disagree; 4 a folder, or part of one, could not be read',
  },
};

export function auditTexts({ counted, number, plural, time }: Format) {
  return {
    audit: {
      title: (at: number) => `Files seen so far, and what happened to them (${time(at)})`,
      titleOfDay: (day: string, at: number) =>
        `Files first seen on ${day}, and what happened to them (${time(at)})`,
      total: (folders: number) => `Total of ${counted(folders, 'folder', 'folders')}`,
      unaccounted: 'Not accounted for:',
      unchecked: 'Could not be checked:',
      makeReadable: 'Make it readable, then try again.',
      unreachable: (folder: string) => `${folder} can't be reached.`,
      noJournal: 'The ledger has no journal yet.',
      journal: (p: { ledger: string; seq: number; hash: string }) =>
        `Journal of ledger ${p.ledger}: entry ${number(p.seq)}, hash ${p.hash}`,
      /** Names of the rows. */
      rows: {
        accepted: 'accepted',
        duplicate: 'duplicate',
        split: 'split',
        rejected: 'rejected',
        failed: 'failed',
        waiting: 'waiting',
        lost: 'lost',
        skipped: 'skipped',
        seen: 'seen',
      },
      meanings: {
        accepted: 'accepted by the service',
        duplicate: 'identical to another image, byte for byte; not sent again',
        split: 'split into pages, each counted here as a file',
        rejected: 'not sent; `receiptd list --state rejected` says why',
        failed:
          'refused by the service, or moved to another endpoint; `receiptd list --state failed` says which',
        lost: 'lost before they could be sent; scan them again',
        skipped: 'already in the folder when it was first watched or taken over from another agent; not sent',
        seen: 'the sum of the above',
      },
      waiting: {
        queued: 'to be sent',
        uploading: 'being sent now',
        held: 'on hold',
        unconfirmed: 'no clear answer from the service; a person has to check there',
        incomplete: 'incomplete',
        unreadable: 'cannot be opened',
      },
      /** About a folder now. */
      former:
        'Not a watched folder (a former one, or files from `receiptd send`): counted from the ledger, not compared with the folder.',
      unreadable: "The folder can't be read at the moment.",
      empty: 'The folder is empty now.',
      allKnown: (n: number) =>
        `${counted(n, 'file is', 'files are')} in the folder now; the ledger has ${plural(n, 'it', 'all of them')}, unchanged.`,
      someKnown: (n: number, known: number) =>
        `${counted(n, 'file is', 'files are')} in the folder now; the ledger has ${number(known)} of them, unchanged.`,
      left: 'Files that have since left the folder (archived, deleted, moved) still count.',
      excluded: (n: number) =>
        `${counted(n, 'file in the ledger is', 'files in the ledger are')} not checked: \`include\`, \`ignore\` or \`recursive\` now ${plural(n, 'excludes it', 'exclude them')}.`,
      links: (n: number) =>
        `${counted(n, 'symbolic link', 'symbolic links')} in the folder ${plural(n, 'is not followed: the file behind it is', 'are not followed: the files behind them are')} neither sent nor counted.`,
      differences: 'Two ways of counting gave different numbers:',
      unsettled: 'The ledger kept changing, so it could not be counted twice. Try again later.',
      recounted: (names: number) =>
        `Recounting the whole ledger by its ${counted(names, 'name', 'names')} instead of its files gives the same numbers.`,
      sentElsewhere: (n: number) => `${number(n)} of them were also sent to a second endpoint on purpose.`,
      /** `where`: of the verdict. */
      folders: (n: number) => counted(n, 'folder', 'folders'),
      onDay: (where: string, day: string) => `${where} on ${day}`,
      noneSeen: (where: string) => `No file was seen in ${where}, so nothing is missing.`,
      allAccounted: (n: number, where: string) =>
        `${n === 1 ? 'The 1 file' : `All ${number(n)} files`} seen in ${where} ${plural(n, 'is', 'are')} accounted for.`,
      person: (n: number) =>
        `${number(n)} of them ${plural(n, 'needs', 'need')} a person: \`receiptd list --state failed unconfirmed lost\`.`,
      changed: 'No file is missing so far, but this proves nothing: the ledger changed during the count.',
      hidden: (places: number) =>
        `No file is missing so far, but this proves nothing: ${counted(places, 'place', 'places')} could not be checked.`,
      contradicts: (places: number) =>
        `The ledger contradicts itself in ${counted(places, 'place', 'places')}. Keep a copy of the state directory, then run \`receiptd ledger verify\`.`,
      notAccounted: (n: number, where: string) =>
        `${counted(n, 'file', 'files')} in ${where} ${plural(n, 'is NOT accounted for; it is', 'are NOT accounted for; they are')} listed above.`,
      /** What is wrong with a file. `state`: that of the ledger's record, with its name. */
      problem: {
        unknown: 'It is in the folder, but not in the ledger.',
        changed: (state: string) => `It differs from the ledger (${state}): it was changed or replaced.`,
        missing: (state: string) => `The ledger has it (${state}), but it is no longer in the folder.`,
        named: (state: string, name: string) => `${state}, as "${name}"`,
      },
      advice: {
        settles:
          'It may not be complete yet, or the agent may be out of space (see `receiptd status`). Try again in a few minutes.',
        start: 'Start the agent (`receiptd run`): it picks up the file.',
        relist: 'Nothing is lost. Try again in a few minutes, after the folder has been listed again.',
        startGone: 'Nothing is lost. Start the agent (`receiptd run`): it records that the file is gone.',
        wait: 'Try again in a few minutes. If its bytes are gone, it becomes `lost` and has to be scanned again.',
        putBack: 'Put it back if you can, then start the agent (`receiptd run`).',
      },
    },
  };
}
