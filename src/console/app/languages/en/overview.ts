import type { Ended, Format } from '../../textFormat.ts';

/** The first page. */
export function overviewTexts({ counted, number }: Format) {
  const documents = (n: number): string => counted(n, 'document', 'documents');
  const others = ({ refused, limited, trouble }: Ended): string =>
    `${number(refused)} refused, ${number(limited)} asked to wait, ${number(trouble)} in trouble`;
  return {
    overview: {
      /** Of all files that arrived today. */
      needAttention: (n: number, of: number) =>
        of === 1
          ? 'Today’s only file needs your attention.'
          : `${number(n)} of today’s ${number(of)} files ${n === 1 ? 'needs' : 'need'} your attention.`,
      areWaiting: (n: number, of: number) =>
        of === 1
          ? 'Today’s only file is waiting to be sent.'
          : `${number(n)} of today’s ${number(of)} files ${n === 1 ? 'is' : 'are'} waiting to be sent.`,
      areSent: (n: number, of: number) =>
        n === of
          ? n === 1
            ? 'Today’s only file is sent.'
            : `All ${number(of)} files of today are sent.`
          : `${number(n)} of today’s ${counted(of, 'file', 'files')} ${n === 1 ? 'is' : 'are'} sent.`,
      nothingYet: 'Nothing has arrived yet today.',
      problems: (n: number) => `${counted(n, 'problem needs', 'problems need')} your attention.`,
      paused: 'Sending is paused.',
      asOf: (at: string) => `No connection; last known state at ${at}`,
      ofAllDays: (parts: string) => `From all days: ${parts}`,
      onHold: (n: number) => `${counted(n, 'document is', 'documents are')} on hold, for the reasons below.`,
      lastScan: 'Last scan',
      noScan: (listed: string) => `none (checked ${listed})`,
      inFolder: 'In the folder now',
      running: (since: string, version: string) => `Running since ${since}, version ${version}.`,
      ofAll: (n: number) => `of ${counted(n, 'file', 'files')} seen so far`,
      nobody: 'Nothing to do.',
      look: 'files and documents to check',
      otherMeans: 'Duplicates, files that are not receipts, and skipped or dismissed ones.',
      noneWaits: 'The backlog is empty.',
      oldest: (at: string, span: string) => `the oldest since ${at} (${span})`,
      held: 'On hold',
      noneHeld: 'Nothing is held back.',
      ofWaiting: 'of the waiting documents',
      pace: 'Sent per minute',
      inFlight: (n: number) => `${counted(n, 'upload', 'uploads')} under way`,
      forecast: 'Backlog empty',
      emptyNow: 'now',
      nothingWaits: 'Nothing is waiting to be sent.',
      unknown: 'unknown',
      allHeld: 'Everything waiting is on hold.',
      noPace: 'Too few uploads for an estimate.',
      emptyIn: (span: string) => `in ${span} at this rate`,
      spool: 'Copies kept',
      spoolOf: (images: number, limit: string) => `${counted(images, 'image', 'images')}, at most ${limit}`,
    },
    notes: {
      hours: (opens: string) => `Outside the sending hours. Uploads start again on ${opens}.`,
      spent: {
        day: (endpoint: string, limit: number, until: string) =>
          `${endpoint}: today’s ${counted(limit, 'upload', 'uploads')} are used up. Uploads start again on ${until}.`,
        month: (endpoint: string, limit: number, until: string) =>
          `${endpoint}: this month’s ${counted(limit, 'upload', 'uploads')} are used up. Uploads start again on ${until}.`,
      },
      slowed: (endpoint: string, less: string, cause: string) =>
        `${endpoint} is slowed down (${less}), ${cause}. Uploads speed up again automatically.`,
      atOnce: (now: number, configured: number) => `${number(now)} of ${number(configured)} at once`,
      spaced: (seconds: string) => `one upload every ${seconds} s`,
      causes: {
        refused: 'because the service asked for less',
        slow: 'because it takes much longer to answer than before',
      },
      limited: (endpoint: string, rate: string, left: string) =>
        `${endpoint}: limited to ${rate}. The backlog needs about ${left} more.`,
      paused: 'This agent is paused: it picks up scans but sends nothing.',
      pausedBy: (by: string, since: string) =>
        `This agent was paused by ${by} (${since}): it picks up scans but sends nothing.`,
      deferred: (images: number) =>
        `The ledger was unreachable when ${counted(images, 'image', 'images')} came in. They are named and sent once it is back.`,
      unmatched: (results: number) => `Results that match no known document: ${number(results)}.`,
      fleet: (agents: number) => `${counted(agents, 'agent shares', 'agents share')} this ledger.`,
      ledgerAway:
        'The shared ledger can’t be reached. Until it is back, the number of waiting documents is unknown.',
    },
    troubles: {
      paused: 'Paused',
      passing: 'Resolves itself',
      resume: (target: string) => `Resume ${target}`.trim(),
      retry: 'Try again now',
      list: 'Show them',
      open: (page: string) => `Open ${page}`,
      editFolder: 'Edit folder',
      move: 'Move the documents to another endpoint',
      moveConfirm: 'Move',
      confirmFolder: 'The folder is right as it is',
    },
    dismissal: {
      dismiss: 'Dismiss',
      undo: 'Undo',
      by: (who: string, at: string) => `Dismissed by ${who}, ${at}.`,
    },
    done: {
      resumed: (target: string) => `${target} was resumed.`,
      paused: (target: string) => `${target} was paused.`,
      moved: (n: number, alias: string) => `Moved to ${alias}: ${documents(n)}.`,
      tried: 'Everything on hold is being retried.',
      dismissed: (n: number) => `Dismissed: ${number(n)}.`,
      undismissed: (n: number) => `Needs attention again: ${number(n)}.`,
      retried: (n: number) => (n === 0 ? 'There was nothing to queue.' : `Queued again: ${documents(n)}.`),
    },
    history: {
      title: 'Uploads over time',
      span: 'Time span',
      spans: { hour: 'Last hour', day: 'Last day' },
      throughput: 'Throughput',
      latency: 'Time to answer',
      accepted: 'Sent',
      refused: 'Refused',
      limited: 'Asked to wait',
      trouble: 'Trouble',
      volume: 'Volume',
      median: 'Median',
      slowest: '95th percentile',
      from: 'From',
      asTable: 'The same as a table',
      throughputSummary: (span: string, ended: Ended, volume: string) =>
        `${span}: ${number(ended.accepted)} sent (${volume}), ${others(ended)}.`,
      throughputOf: (at: string, ended: Ended) => `${at}: ${number(ended.accepted)} sent, ${others(ended)}.`,
      latencySummary: (span: string, slowest: string) =>
        `${span}: at worst, 95% of answers took up to ${slowest}.`,
      noLatency: (span: string) => `${span}: nothing was sent.`,
      latencyOf: (at: string, median: string, slowest: string) =>
        `${at}: median ${median}, 95th percentile ${slowest}.`,
    },
  };
}
