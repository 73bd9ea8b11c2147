import type { ParamsOf } from '../facts.ts';
import type { Format } from '../format.ts';
import type { Needs } from '../needs.ts';
import type { Codes } from '../codes.ts';

/** Problems and refusals: `what` is wrong, without a full stop, and the `cure`. An error has no parameters yet. */
export function codesTexts(
  { counted, plural, number, bytes, duration, time, asWord, isTemporary }: Format,
  needs: Needs,
) {
  const by: Readonly<Partial<Record<string, string>>> = BY_CHANNEL;
  return {
    channels: CHANNELS,
    codes: {
      CONFIG_NOT_FOUND: {
        what: 'The configuration file is missing',
        cure: 'The current settings stay in effect. Put the file back, or restore a previous version from config-history in the state directory.',
      },
      CONFIG_UNREADABLE: {
        what: 'The configuration file can’t be read',
        cure: 'The current settings stay in effect. Allow the user that runs receiptd to read the file.',
      },
      CONFIG_SYNTAX: {
        what: 'The configuration file is not valid YAML',
        cure: 'The current settings stay in effect. Correct the file; it is reloaded automatically.',
      },
      CONFIG_INVALID: {
        what: 'A setting is not valid',
        cure: 'No part of the change is in effect. Correct the setting.',
      },
      TEMPLATE_INVALID: {
        what: 'The name template is not valid',
        cure: 'Use the fields in braces that are listed below the input.',
      },
      FOLDERS_NESTED: {
        what: 'One folder is inside another',
        cure: 'Each file would be sent twice. Watch only one of them, with its subfolders if needed.',
      },
      ENDPOINT_UNKNOWN: {
        what: 'This endpoint is not in the configuration',
        cure: 'Choose one that is listed under Endpoints, or add it there.',
      },
      ENDPOINT_IS_EXAMPLE: {
        what: 'The endpoint still has the uid from the example',
        cure: 'Enter the uid of your endpoint, or create one.',
      },
      ACCOUNT_UNKNOWN: {
        what: 'This account is not in the configuration',
        cure: 'Choose another account for the endpoint, or add this one to the file.',
      },
      HTTPS_REQUIRED: {
        what: 'The service address must start with https',
        cure: 'Enter an address that starts with https. Otherwise, others on the network could read the credentials.',
      },
      FOLDER_MISSING: {
        what: (p) => `${p?.folder ?? 'The folder'} does not exist`,
        cure: (p): string =>
          `Create or mount it, or correct its path.${p !== undefined && isTemporary(p.folder) ? ` ${OWN_TMP}` : ''} Watching then starts automatically.`,
      },
      FOLDER_NOT_A_DIRECTORY: {
        what: (p) => `${p?.folder ?? 'This'} is not a folder`,
        cure: 'Enter the folder that contains the scans.',
      },
      FOLDER_UNREADABLE: {
        what: (p) => `${p?.folder ?? 'The folder'} can’t be read`,
        cure: 'Allow the user that runs receiptd to read and open it, and to enter the folders above it. Watching then continues automatically.',
      },
      FOLDER_UNWRITABLE: {
        what: (p) =>
          p === undefined
            ? 'The folder can’t be written'
            : `Originals in ${p.folder} can’t be ${p.isArchived ? 'archived' : 'deleted'} (${p.system})${p.file === null ? '' : `, such as ${p.file}`}`,
        cure: (p) =>
          p === undefined
            ? 'Allow the user that runs receiptd to write to the folder and to its archive, and check the free space there. Uploads continue, and this is retried automatically.'
            : `${unwritable(p)} Uploads continue, and this is retried automatically.`,
      },
      FILE_UNREADABLE: {
        what: (p) =>
          p === undefined
            ? 'Files can’t be read'
            : `${counted(p.count, 'file', 'files')} in ${p.folder} can’t be read (${p.system}): ${some(p.files, p.count)}`,
        cure: 'Allow the user that runs receiptd to read them, or close the program that has them open. They are retried automatically.',
      },
      FOLDER_UNREACHABLE: {
        what: (p) => `${p?.folder ?? 'The folder'} can’t be reached, or has been replaced`,
        cure: (p) =>
          `Nothing in it counts as deleted, and watching continues once it is back. Check its server or disk and the network, and whether it is mounted. If it was emptied or replaced on purpose, confirm that with \`receiptd resume ${p === undefined ? 'FOLDER' : asWord(p.folder)}\`.`,
      },
      FOLDER_UNLISTED: {
        what: (p) => `The first listing of ${p.folder} has not ended`,
        cure: 'Nothing is lost. Scans may be sent late until the listing ends. If this lasts, check the disk or the share, and how many files the folder holds.',
      },
      FOLDER_TAKEN: {
        what: (p) => `Another agent on this machine watches ${p?.folder ?? 'this folder'}`,
        cure: 'Stop one of the two agents, or remove the folder from its configuration. The other one then takes over automatically.',
      },
      FOLDER_TAKEN_OVER: {
        what: (p) =>
          p === undefined
            ? 'The folder was taken over from another agent, and older files in it were skipped'
            : `${p.folder} was taken over from another agent, and ${counted(p.count, 'file', 'files')} already in it ${plural(p.count, 'was', 'were')} skipped, because the other agent may have sent ${plural(p.count, 'it', 'them')}`,
        cure: 'Compare `receiptd list --state skipped` with what the other agent has sent. To send these files all the same, change in the folder what happens to files already in it (`existing`), for example to those changed since a day. This message stays until the configuration changes or the agent restarts.',
      },
      FOLDER_TAKEN_ELSEWHERE: {
        what: (p) =>
          p === undefined
            ? 'Another agent seems to watch the same folder, so both send every receipt'
            : `Another agent seems to watch ${p.folder}, so both send every receipt: it archived ${counted(p.count, 'receipt', 'receipts')} that this agent also took in, the last one as ${p.archivedTo}`,
        cure: 'Let only one agent watch the folder, or let both share a ledger and the folder. If a person moved these files into the archive, nothing is wrong. This message stays until the configuration changes or the agent restarts.',
      },
      SUBFOLDERS_UNREADABLE: {
        what: (p) =>
          `${counted(p.count, 'subfolder', 'subfolders')} of ${p.folder} can’t be read (${p.system}), so scans in ${plural(p.count, 'it', 'them')} are not sent: ${some(p.subfolders, p.count)}`,
        cure: (p): string =>
          p.isAway
            ? 'Check the disk or the share. The scans are sent automatically after that.'
            : 'Allow the user that runs receiptd to read and open the subfolders, or exclude them with `ignore`. The scans are sent automatically after that.',
      },
      SUBFOLDERS_UNWATCHED: {
        what: (p) =>
          `${counted(p.count, 'subfolder', 'subfolders')} of ${p.folder} ${plural(p.count, 'holds', 'hold')} images and ${plural(p.count, 'is', 'are')} not watched: ${some(p.subfolders, p.count)}`,
        cure: 'To send their images, set `recursive: true` for the folder. If they hold no new scans, add them to `ignore`.',
      },
      WATCH_LIMIT: {
        what: (p) =>
          p === undefined
            ? 'The system’s limit for watched folders is reached'
            : p.system === null
              ? `The path of ${p.folders.join(', ')} contains a backslash, so receiptd can’t watch it for events`
              : `The system limit is reached (${p.system}), so directories in ${p.folders.length === 1 ? `${p.folders.join()} are not watched` : `${counted(p.folders.length, 'folder', 'folders')} are not watched: ${p.folders.join(', ')}`}`,
        cure: (p): string =>
          p?.system === null
            ? 'receiptd checks for new files at intervals instead. To have them noticed at once, rename the folder.'
            : `receiptd checks for new files at intervals instead. An administrator can raise the limit: ${p?.system === 'EMFILE' ? '`sysctl fs.inotify.max_user_instances=1024`' : '`sysctl fs.inotify.max_user_watches=524288`'}.`,
      },
      FOLDER_SILENT: {
        what: (p) =>
          p === undefined
            ? 'No scans arrive'
            : `${p.folder} gets no scans: none since ${time(p.last)}, for ${duration(p.minutes * 60_000)} of its working hours${p.pause === null ? '' : `; its longest pause on a normal day is ${duration(p.pause * 60_000)}`}`,
        cure: 'Check the scanner, and the network between it and the folder. On a holiday, this is normal.',
      },
      FOLDERS_SILENT: {
        what: (p) =>
          p.folders.length === 0
            ? 'No folder receives any scans'
            : `${number(p.count)} of ${counted(p.watched, 'folder', 'folders')} get no scans: ${some(p.folders, p.count)}`,
        cure: 'Check what they have in common, such as a network, a server or a scanner. On a holiday, this is normal.',
      },
      ATTENTION_UNWRITABLE: {
        what: (p) =>
          p === undefined
            ? 'Files that need attention can’t be shown to people at the scanner'
            : p.system === 'ENOTDIR' || p.system === 'ELOOP'
              ? `${p.place} is not a folder or is reached through a link, so people at the scanner can’t see which files could not be sent`
              : `${p.place} can’t be written (${p.system}), so people at the scanner can’t see which files could not be sent`,
        cure: (p) =>
          `${p?.system === 'EROFS' ? SERVICE : 'Allow the user that runs receiptd to create files in it, remove a link that leads to it, or choose another folder in `needsAttention`.'} Everything else continues.`,
      },
      STATE_UNWRITABLE: {
        what: 'The state directory can’t be written',
        cure: 'Check its free space and permissions. Until then, new scans stay in their folders.',
      },
      LEDGER_MISSING: {
        what: 'The ledger is missing',
        cure: 'Restore it from a backup, on the machine that receiptd runs on.',
      },
      LEDGER_OLDER: {
        what: 'The ledger is from an older version',
        cure: 'Restart receiptd: it makes the tables anew from the journal.',
      },
      LEDGER_NEWER: { what: 'The ledger is from a newer version', cure: 'Update receiptd on this machine.' },
      LEDGER_DAMAGED: {
        what: 'The ledger is or was damaged',
        cure: 'Check the disk. If this message stays, restart receiptd. It rebuilds the ledger from backup and journal.',
      },
      LEDGER_WRITE_FAILED: {
        what: 'Nothing can be recorded in the ledger',
        cure: 'Nothing is sent until this works again. Check the disk or the database. receiptd retries automatically.',
      },
      DISK_FULL: {
        what: 'The disk is full',
        cure: 'Free some space. Until then, nothing is sent; then receiptd continues automatically.',
      },
      DISK_SLOW: {
        what: (p) =>
          p === undefined
            ? 'The disk is very slow'
            : p.answers
              ? `The disk of ${p.stateDir} takes ${number(p.seconds)} seconds or more per record`
              : `The disk of ${p.stateDir} has not responded for more than ${number(p.seconds)} seconds`,
        cure: 'Nothing is lost, but every receipt is delayed. Check the disk’s health and what else uses it, or move `stateDir` to a faster disk.',
      },
      LOG_UNWRITABLE: {
        what: (p) => `Nothing is logged to ${p.dir} (${p.system})`,
        cure: 'Receipts are still sent. Free some space there, or let the user that runs receiptd write to it. receiptd tries again every minute.',
      },
      LEDGER_UNREACHABLE: {
        what: 'The shared ledger can’t be reached',
        cure: 'Scans are copied or stay in their folders and are sent once the ledger is back. Check the database and the network.',
      },
      LEDGER_REFUSED: {
        what: 'The database refuses access',
        cure: 'Check the database user, password and privileges.',
      },
      LEDGER_WENT_BACK: {
        what: 'The shared ledger lacks what was recorded in it',
        cure: 'Find out which backup or standby took over. Agents record again what they still know.',
      },
      AGENT_NAME_TAKEN: {
        what: 'Another agent has the same name',
        cure: 'Give each agent in the fleet a unique name.',
      },
      AGENT_FENCED: {
        what: 'Another agent has taken over this agent’s work',
        cure: 'It continues automatically. Check this machine’s clock and network.',
      },
      AGENT_SILENT: {
        what: (p) =>
          p === undefined
            ? 'An agent in the fleet does not respond'
            : `Agent ${p.agent} on the host ${p.host} has been silent since ${time(p.last)}${p.count === 0 ? '' : `, and ${counted(p.count, 'document waits', 'documents wait')} for it alone`}`,
        cure: 'Check whether its machine and network are up, and start the agent there.',
      },
      BACKUP_FAILED: {
        what: 'The ledger could not be backed up',
        cure: 'Check the free space and permissions of the state directory. receiptd retries automatically.',
      },
      JOURNAL_DAMAGED: {
        what: 'The journal of the ledger is damaged',
        cure: 'Check the disk. Ask the machine’s administrator to verify the ledger.',
      },
      SPOOL_FULL: {
        what: (p) =>
          p === undefined
            ? 'There is no space for more copies of images'
            : `The spool is full (${bytes(p.used)} of ${bytes(p.limit)}) and has no room for an image of ${bytes(p.size)}`,
        cure: 'Scans that can’t be sent immediately stay in their folders. Fix what keeps uploads waiting, or raise `storage.spoolLimit`.',
      },
      SPOOL_UNWRITABLE: {
        what: 'Copies of images can’t be written',
        cure: (p): string =>
          p?.keepsScans === false
            ? 'Check the free space and permissions of the state directory. New scans are recorded without a copy meanwhile; one that is overwritten before it is sent is lost.'
            : 'Check the free space and permissions of the state directory. Scans stay in their folders meanwhile.',
      },
      BYTES_GONE: {
        what: 'The image is no longer there',
        cure: 'Put the file back into its folder, or scan the receipt again.',
      },
      PERSON_NEEDED: {
        what: (p) =>
          `${counted(p.count, 'scan', 'scans')} ${p.folder === null ? 'of other agents' : `from ${p.folder}`} ${plural(p.count, 'needs', 'need')} attention (${needs.summary(p.needs)})`,
        cure: (p) =>
          `\`receiptd list --needs-person\` lists ${plural(p.count, 'it', 'them')}. ${needs.cures(p.needs)} Nothing to do? Use \`receiptd dismiss ${p.folder === null ? 'NAME' : `--all --folder ${asWord(p.folder)}`}\`.`,
      },
      UPLOADS_PAUSED: {
        what: (p) =>
          `${p.target === null ? 'All uploads' : `Uploads ${p.scope === 'endpoint' ? `to endpoint ${p.target}` : `from ${p.target}`}`} are paused${p.by === null ? '' : ` by ${p.by}`}`,
        cure: (p) => `To resume, run \`receiptd resume${p.target === null ? '' : ` ${asWord(p.target)}`}\`.`,
      },
      CREDENTIALS_MISSING: {
        what: (p) =>
          p?.account
            ? `Credentials of account ${p.account} for the service are missing`
            : 'Credentials for the service are missing',
        cure: (p) =>
          `Run \`${login(p)}\` on the machine that receiptd runs on. Scans are recorded meanwhile.`,
      },
      CREDENTIALS_INSECURE: {
        what: 'Others can read a file with secrets',
        cure: 'Make it readable only by its owner, and consider replacing the secret.',
      },
      CREDENTIALS_REFUSED: {
        what: (p) =>
          p?.account
            ? `The credentials of account ${p.account} are not accepted`
            : 'The service does not accept the credentials',
        cure: (p) => `Run \`${login(p)}\` on the machine that receiptd runs on.`,
      },
      KEYCHAIN_UNAVAILABLE: {
        what: 'The system keychain does not respond',
        cure: (p) => `Repair it, or keep the credentials in a file: \`${login(p)} --store file\`.`,
      },
      KEYCHAIN_LOCKED: {
        what: 'The system keychain is locked',
        cure: (p) =>
          `Log in to the desktop to unlock it, or keep the credentials in a file: \`${login(p)} --store file\`.`,
      },
      SERVICE_UNREACHABLE: {
        what: (p) =>
          p === undefined
            ? 'The service can’t be reached'
            : `The service at ${p.service} does not answer properly`,
        cure: 'Nothing is lost, and uploads are retried automatically. If this lasts, check the network and the service address.',
      },
      SERVICE_BUSY: {
        what: (p) =>
          `The service at ${p.service} has asked ${p.agent === null ? 'receiptd' : `agent ${p.agent}`} to wait`,
        cure: 'Nothing is lost, and uploads continue automatically. If this lasts, check the service.',
      },
      ENDPOINT_BUSY: {
        what: (p) => `The service has asked receiptd to slow down for endpoint ${p.endpoint}`,
        cure: 'Nothing is lost, and uploads continue automatically. If this lasts, check whether the account’s plan fits the number of scans.',
      },
      ENDPOINT_HELD: {
        what: (p) => `Endpoint ${p.endpoint} does not accept uploads`,
        cure: 'Contact the service’s support or correct the configuration, then try again with `receiptd retry --all`.',
      },
      ENDPOINT_GONE: {
        what: (p) =>
          `${counted(p.count, 'document waits', 'documents wait')} for the endpoint ${p.endpoint}, which is no longer in the configuration`,
        cure: (p): string =>
          p.tookSome
            ? `Put the endpoint back under \`endpoints\`, or move the documents to another one: \`receiptd move ${p.endpoint} ALIAS\`.`
            : `It never accepted a document. If its uid was a mistake, move the documents to the right endpoint: \`receiptd move ${p.endpoint} ALIAS\`.`,
      },
      SERVICE_ANSWER: {
        what: 'Something other than the service answered',
        cure: 'Check the service address, and whether a proxy or a login page is in the way.',
      },
      NOT_RUNNING: { what: 'receiptd is stopping or not running', cure: 'Try again in a moment.' },
      PORT_IN_USE: {
        what: 'Another program uses the port',
        cure: 'receiptd continues without it and keeps trying. Choose another port in the configuration file.',
      },
      MONITORING_UNAVAILABLE: {
        what: 'Monitoring is not available',
        cure: 'Receipts are still sent. Correct its address in the configuration file.',
      },
      CONSOLE_UNAVAILABLE: {
        what: 'The console is not available at its configured address',
        cure: 'Receipts are still sent. Correct the address, certificate or password on the machine that receiptd runs on.',
      },
      ALERT_UNDELIVERED: {
        what: (p) =>
          `Alerts can’t be delivered ${p === undefined ? 'through this channel' : (by[p.channel] ?? `by ${p.channel}`)}`,
        cure: 'They are retried for a day. Correct the settings, and send a test with `receiptd alerts test`.',
      },
      RESULTS_UNAVAILABLE: {
        what: 'Results from the service can’t be received',
        cure: 'Receipts are still sent. Correct the receiver’s address, certificate or secret.',
      },
      RESULTS_COMMAND_FAILED: {
        what: (p) =>
          p === undefined ? 'The program for results fails' : `The program for results, ${p.program}, fails`,
        cure: 'Results are kept and passed to it again later, in order. Run the program by hand to test it, or correct `results.command`.',
      },
    } satisfies Codes,
  };
}

/** Names of the alert channels. */
const CHANNELS = {
  desktop: 'Desktop',
  eventLog: 'Event log',
  command: 'Program',
  webhook: 'Webhook',
  email: 'Mail',
};

const BY_CHANNEL: Readonly<Record<keyof typeof CHANNELS, string>> = {
  desktop: 'on the desktop',
  eventLog: 'to the event log',
  command: 'by the program',
  webhook: 'by webhook',
  email: 'by mail',
};

/** The command that stores new credentials. */
function login(params: { readonly account: string | null } | undefined): string {
  return `receiptd login${params?.account ? ` --account ${params.account}` : ''}`;
}

/** `count`: of them all. */
function some(names: readonly string[], count: number): string {
  return names.join(', ') + (count > names.length ? ', …' : '');
}

/** A unit that was made for other settings, such as that of the package, makes all other folders read-only. */
const SERVICE =
  'If receiptd runs as a service, the service is not allowed to write there: `sudo receiptd service install` adapts it to the configuration.';

const OWN_TMP =
  'If it is there and receiptd runs as a service, the service has its own temporary directory: `sudo receiptd service install` adapts it to the configuration.';

/** What to do about an original that can't be archived or deleted. */
function unwritable({ system, isArchived, isAway }: ParamsOf<'FOLDER_UNWRITABLE'>): string {
  const place = isArchived ? 'the archive (`archiveTo`)' : 'the folder';
  if (isAway)
    return `The share or disk of ${place} does not respond: check the network and the server that it is on.`;
  switch (system) {
    case 'ENOTDIR':
    case 'ELOOP':
      return 'A file or a link is in the place of the archive: remove it, or set `archiveTo` to another folder. Links inside a watched folder are not followed.';
    case 'ENOSPC':
      return `Free some space on the disk of ${place}.`;
    case 'EDQUOT':
      return `The user that runs receiptd has used up its quota on the disk of ${place}: free some space there, or raise the quota.`;
    case 'EROFS':
      return `${SERVICE} Otherwise, mount the disk of ${place} so that it can be written.`;
    default:
      return `Allow the user that runs receiptd to write to the folder${isArchived ? ' and to the archive (`archiveTo`)' : ''}.`;
  }
}
