import type { Format } from '../format.ts';

/** Alerts and digests, around the words of the problems. */
export function alertsTexts({ counted, plural, number, duration, time }: Format) {
  return {
    alertTexts: {
      resolved: (what: string) => `Resolved: ${what}`,
      stillOpen: (what: string) => `Still open: ${what}`,
      several: (n: number, first: string) => `${number(n)} problems, the first: ${first}`,
      /** Several problems with the same code. */
      together: {
        FOLDER_MISSING: (n: number) => `${number(n)} folders do not exist.`,
        FOLDER_UNREACHABLE: (n: number) => `${number(n)} folders can’t be reached.`,
        FOLDER_UNREADABLE: (n: number) => `${number(n)} folders can’t be read.`,
        FILE_UNREADABLE: (n: number) => `${number(n)} folders have files that can’t be read.`,
        PERSON_NEEDED: (n: number) => `${number(n)} folders have scans that need attention.`,
      },
      more: (n: number) => `And ${number(n)} more.`,
      lasted: (since: string, ms: number) => `Since ${time(since)}, ${duration(ms)} long.`,
      returns: (n: number) => `In between, it stopped and came back ${counted(n, 'time', 'times')}.`,
      comesAndGoes: (times: number, withinMs: number, awayMs: number) =>
        `It comes and goes: ${counted(times, 'time', 'times')} within ${duration(withinMs)}. It counts as over only once it has stayed away for ${duration(awayMs)}; until then you get no more alerts about it.`,
      endedUnreported: (n: number) =>
        `${counted(n, 'other problem', 'other problems')} began and ended during the quiet hours; see the log.`,
      seeAlso: '`receiptd alerts` shows open problems; `receiptd status` shows how the agent is doing.',
      /** Around the words of an alert. */
      mail: {
        from: (host: string) => `receiptd on ${host}`,
        since: (clock: string) => `since ${clock}`,
      },
      test: {
        subject: 'This is a test alert; nothing is wrong.',
        text: 'It was sent with `receiptd alerts test` or `receiptd setup`. You will be alerted here when something is wrong.',
      },
      digest: {
        subject: (sent: number, waiting: number, attention: number) =>
          `${counted(sent, 'receipt', 'receipts')} sent since yesterday, ${number(waiting)} ${plural(waiting, 'waits', 'wait')}, ${number(attention)} ${plural(attention, 'needs', 'need')} attention`,
        period: (from: number, to: number) => `From ${time(from)} to ${time(to)}:`,
        columns: {
          folder: 'folder',
          sent: 'sent',
          duplicates: 'duplicates',
          rejected: 'rejected',
          waiting: 'waiting',
          attention: 'need attention',
        },
        allFolders: 'all folders',
        accepted: (n: number) =>
          `${counted(n, 'document was', 'documents were')} accepted by the service in that time. "waiting" and "need attention" count everything that is open now, regardless of age.`,
        allWell: 'Nothing is wrong.',
        open: 'Still open:',
        cure: 'List them with `receiptd list --needs-person`.',
      },
    },
  };
}
