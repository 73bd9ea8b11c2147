import type { Condition, SaidElsewhere, Detail, Within } from '../facts.ts';
import type { Format } from '../format.ts';
import { databaseAt, type InDatabase } from './errors/ledger.ts';
import type { Fact, SamePhrases } from '../phrase.ts';
import { fileFlaw } from './ledgerFindings.ts';

/** How well a store protects credentials, and from whom. */
export const strengthTexts = {
  environment: (p: { isLinux: boolean }) =>
    `Weak: root and this user's other processes can read them in the process environment${p.isLinux ? ' (/proc)' : ''}, and if a unit sets them (Environment=), so can everyone.`,
  foreignFile: (p: { file: string }) =>
    `The agent can't read ${p.file}, because it belongs to another user: change its owner to the owner of the state directory (chown).`,
  windowsFile: (p: { file: string }) =>
    `Fair: ${p.file} is protected only by the permissions of its folder (receiptd makes the state directory private), and is unencrypted in backups.`,
  file: (p: { file: string }) =>
    `Fair: only its owner and root can read ${p.file}, but so can anyone who has a backup or the disk.`,
  systemd: (p: { isInMemory: boolean }) =>
    `Strong: for this unit and root alone${p.isInMemory ? ', in memory that is never written to disk' : ''}; on disk as good as the unit says (LoadCredentialEncrypted= binds them to this machine or its TPM2, LoadCredential= takes a plain file).`,
  keychainAtBoot: (p: { store: string; option: string }) =>
    `Strong, but nobody logs in as a service account, so the keychain stays locked or unavailable when the agent starts at boot. Move them: \`receiptd login --store ${p.store}${p.option}\`.`,
  keychain:
    'Strong: encrypted on disk, and unlocked while this user is logged in. An agent that starts earlier waits until then.',
};

const HOW_CLOCK: Readonly<Record<string, string>> = {
  linux: ' (timedatectl set-ntp true)',
  win32: ' (w32tm /resync)',
};

/** Why a file or directory is of no use, by the system's code. */
const SYSTEM: Readonly<Record<string, string>> = {
  notAFile: 'it is not a file',
  ENOENT: 'it is not there',
  ENOTDIR: 'it is not there',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** What `check`, `doctor` and the console's test of a folder find. */
export const findingTexts = ({ bytes, counted, duration, phrase }: Format) => ({
  /** Words from elsewhere. */
  other: (p: { detail: string }) => p.detail,
  checkedAs: (p: { user: string }) => `(Checked as the user ${p.user}.)`,
  notCheckedAs: (p: Within & { user: string }) =>
    `Not checked as the user ${p.user}: ${p.detail} [${p.error.code}]`,
  late: (p: { seconds: number }) =>
    `Checking this took longer than ${p.seconds} s and was stopped. A share or a disk may not be responding.`,
  configValid: (p: { file: string }) => `${p.file} is valid.`,
  uidOdd: (p: { alias: string; uid: string }) =>
    `The uid of the endpoint ${p.alias}, ${p.uid}, is not a UUID. The service's uids are lowercase UUIDs. Compare it with the one the service shows.`,
  uidCapitals: (p: { alias: string; uid: string }) =>
    `The uid of the endpoint ${p.alias}, ${p.uid}, has capital letters. The service's uids are lowercase UUIDs. Compare it with the one the service shows.`,
  versions: (p: { receiptd: string; node: string; platform: string; arch: string; zone: string }) =>
    `receiptd ${p.receiptd}, Node ${p.node}, ${p.platform} ${p.arch}, time zone ${p.zone}.`,
  install: (p: { places: readonly string[] }) =>
    `receiptd is installed more than once: ${p.places.join(', ')}. The first one is used. Remove the others (npm uninstall --global receiptd, or apt remove receiptd); docs/upgrading.md explains the order.`,

  stateMissing: (p: { stateDir: string }) => `${p.stateDir} does not exist yet; \`receiptd run\` creates it.`,
  stateThere: (p: { stateDir: string }) => `${p.stateDir} is there.`,
  stateYours: (p: { stateDir: string; mode: string }) => `${p.stateDir} is yours (mode ${p.mode}).`,
  stateOf: (p: { stateDir: string; user: string; mode: string }) =>
    `${p.stateDir} belongs to the user ${p.user} (mode ${p.mode}).`,
  stateForeign: (p: { stateDir: string; user: string; own: number }) =>
    `${p.stateDir} belongs to the user ${p.user}, but this command runs as user ${p.own}. Run it as that user to see everything.`,
  stateOfAgent: (p: { stateDir: string; user: string; command: string }) =>
    `${p.stateDir} belongs to the user ${p.user}. To check whether that user can write to it, run \`${p.command}\`.`,
  stateWritable: (p: { stateDir: string; ledger: string | InDatabase }) =>
    `${p.stateDir} is writable; the ledger is ${typeof p.ledger === 'string' ? p.ledger : databaseAt(p.ledger)}.`,
  stateUnwritable: (p: { system: string }) =>
    `The state directory can't be written: ${SYSTEM[p.system] ?? p.system}.`,
  notMoved: 'The ledger was not moved to another PC.',
  diskSpeed: (p: { median: string; writes: number; slowest: string; isSlow: boolean }) =>
    `Writing to the disk of the state directory takes ${p.median} ms (median of ${p.writes} writes; slowest ${p.slowest} ms).${p.isSlow ? ' That is slow: use a local disk.' : ''}`,
  diskSpace: (p: { free: number; isLittle: boolean }) =>
    `The disk of the state directory has ${bytes(p.free)} of free space.${p.isLittle ? ' Free some space, or nothing can be recorded or sent.' : ''}`,
  diskUnknown: (p: { stateDir: string }) =>
    `The free space on the disk of ${p.stateDir} can't be determined.`,
  noErrors: 'No errors in the last 24 hours.',
  errors: (p: { codes: readonly { code: string | null; times: number }[] }) =>
    `Errors in the last 24 hours: ${p.codes.map(({ code, times }) => `${code ?? 'without a code'} (${times})`).join(', ')}.`,
  serviceElsewhere: 'Not checked here; run `receiptd service status`.',
  noUnit: 'There is no systemd unit named receiptd.',
  unit: (p: { active: string; sub: string; restarts: string; result: string }) =>
    `The unit receiptd is ${p.active} (${p.sub}), restarted ${p.restarts} ${p.restarts === '1' ? 'time' : 'times'}; result ${p.result}.`,
  clockUnknown: "It can't be compared with the service's clock, because the service sent no time.",
  clockRight: (p: { seconds: number }) => `It is within ${p.seconds} s of the service's clock.`,
  clockWrong: (p: { seconds: number; isAhead: boolean; platform: string }) =>
    `It is ${p.seconds} s ${p.isAhead ? 'ahead of' : 'behind'} the service's clock. Correct it, and keep it correct${HOW_CLOCK[p.platform] ?? ''}.`,
  inotify: (p: { instances: number; watches: number; queued: number; isFew: boolean }) =>
    `The system allows ${p.instances} instances, ${p.watches} watches and ${p.queued} queued events for each user.${p.isFew ? ' Raise the first one: sysctl fs.inotify.max_user_instances=128. [WATCH_LIMIT]' : ''}`,
  /** `wanted`: the limit to set; null if it is high enough. */
  watches: (p: { needed: number; isMore: boolean; limit: number; wanted: number | null }) =>
    `${p.needed}${p.isMore ? ' or more' : ''} of ${p.limit} inotify watches are needed.${p.wanted === null ? '' : ` Raise the limit: sysctl fs.inotify.max_user_watches=${p.wanted}. Until then, folders are listed at intervals. [WATCH_LIMIT]`}`,

  ledgerReadable: (p: { documents: number }) =>
    `It can be read and contains ${counted(p.documents, 'document', 'documents')}.`,
  ledgerSound: (p: { documents: number }) =>
    `It passes a quick check, ends as the journal does and contains ${counted(p.documents, 'document', 'documents')}.`,
  ledgerMissing: 'It does not exist yet; `receiptd run` creates it. [LEDGER_MISSING]',
  ledgerDamaged: (p: { verdict: string }) => `It is damaged: ${fileFlaw(p.verdict)}. [LEDGER_DAMAGED]`,
  journalBehind:
    'The journal is missing the most recent entries of the ledger. The next start repairs that. [JOURNAL_DAMAGED]',
  ledgerShared: (p: InDatabase & { server: string; isEncrypted: boolean | null }) =>
    `It is ${databaseAt(p)} and works (PostgreSQL ${p.server}${p.isEncrypted === null ? '' : p.isEncrypted ? ', encrypted' : ', not encrypted'}).`,
  privileges: (p: { lacks: readonly string[] }) =>
    `The user in ledger.url lacks privileges: ${p.lacks.join(', ')}. Have the owner run \`receiptd ledger prepare\`.`,
  databaseClock: (p: { ms: number; isBehind: boolean }) =>
    `This machine's clock is ${duration(p.ms)} ${p.isBehind ? 'behind' : 'ahead of'} the database's, so times in the ledger will not match. Synchronize both clocks with NTP.`,

  readable: (p: { count: number }) => `It can be read and contains ${counted(p.count, 'file', 'files')}.`,
  subfolders: (p: { count: number }) =>
    `${counted(p.count, 'subfolder is', 'subfolders are')} not watched. To watch ${p.count === 1 ? 'it' : 'them'}, set \`recursive: true\`.`,
  links: (p: { count: number }) =>
    `${counted(p.count, 'symbolic link', 'symbolic links')} in it ${p.count === 1 ? 'is' : 'are'} not followed.`,
  movable: (p: { afterUpload: string }) =>
    `Originals can be moved out of it (\`afterUpload: ${p.afterUpload}\`).`,
  attention: (p: { place: string }) => `Files that can't be sent can be shown in ${p.place}.`,
  tooMany: 'It contains too many files to count. The newest may not be among the samples.',
  originals: (p: { files: number; afterUpload: 'archive' | 'delete'; stay: boolean }) => {
    const [was, stays, are, them] =
      p.files === 1 ? ['was', 'stays', 'is', 'it'] : ['were', 'stay', 'are', 'them'];
    const which = `${counted(p.files, 'file', 'files')} that ${was} accepted before \`afterUpload: ${p.afterUpload}\` was set`;
    return p.stay
      ? `${which} ${stays} in the folder; set \`afterUploadExisting: include\` to include ${them}.`
      : `${which} ${are} ${p.afterUpload === 'archive' ? 'archived' : 'deleted'} too; set \`afterUploadExisting: leave\` to keep ${them}.`;
  },
  unitFits: (p: { unit: string }) => `${p.unit} allows the service what this configuration needs.`,
  resultsOff: 'Its originals stay until a result arrives (`afterUploadOn`), but results.listen is off.',
  pagesSplit: 'PDFs and multi-page TIFFs are split into images.',
  pagesWhole: 'PDFs and multi-page TIFFs are sent unchanged (`pages: whole`).',
  pagesLack: (p: { missing: readonly string[]; isWanted: boolean; isLooking: boolean }) =>
    `${p.isWanted ? "PDFs can't be split" : ''}${p.isWanted && p.isLooking ? ', and images' : p.isLooking ? 'Images' : ''}${p.isLooking ? " can't be checked or rotated (`qualityCheck`, `upright`)" : ''}: ${p.missing.join(', ')} ${p.missing.length === 1 ? 'is' : 'are'} not installed. Reinstall receiptd with its optional parts${p.isWanted ? ', or set `pages: whole`' : ''}.`,

  noEventLog: 'alerts.eventLog: only Windows has an event log. Set it to false.',
  noChannel: (p: { known: readonly string[] }) =>
    `No alerts are sent: no channel is configured under \`alerts\` (${p.known.join(', ')}).`,
  channels: (p: { channels: readonly string[] }) =>
    `They go to ${p.channels.join(', ')}. To send a test, run \`receiptd alerts test\`.`,
  commandUnfit: (p: { program: string; why: string }) =>
    `alerts.command: ${p.program} can't be run: ${SYSTEM[p.why] ?? p.why}. Use a program that the user running receiptd can run.`,
  noticeMissing: (p: { program: string }) =>
    `alerts.desktop: ${p.program} is not in the PATH of this user. Install it (on Debian: libnotify-bin), or set alerts.desktop: false.`,

  store: (p: { store: string; strength: Fact<typeof strengthTexts> }) =>
    `They come from the ${p.store} store. ${phrase(strengthTexts, p.strength)}`,
  serviceAccepts: (p: { baseUrl: string; store: string; company: string }) =>
    `${p.baseUrl} accepts the credentials from the ${p.store} store: ${p.company}.`,
  certificate: (p: { until: string }) => `The certificate is valid until ${p.until}.`,
  portFree: (p: { address: string }) => `${p.address} is free.`,
  portOurs: (p: { address: string }) => `${p.address} is used by the running agent.`,
  portUnclear: (p: Within & { address: string }) =>
    `${p.address} is in use. The running agent can't be asked whether it uses the port: ${p.detail} [${p.error.code}]`,
});
/** Errors, problems and what the ledger stores have their own words. */
export type FindingFact =
  | Fact<ReturnType<typeof findingTexts>>
  | { readonly is: 'error'; readonly error: SaidElsewhere }
  | ({ readonly is: 'why' } & Detail)
  | { readonly is: 'problem'; readonly problem: Condition };

/** The same texts in another language. */
export interface Findings {
  readonly findings: SamePhrases<ReturnType<typeof findingTexts>>;
  /** What it is about; paths and settings stand for themselves. */
  readonly subjectText: (subject: string) => string;
}
