/** Problems and refusals by error code. */
export function codesTexts() {
  return {
    /** `what` is wrong, without a full stop, and `help`: what to do. */
    codes: {
      CONFIG_NOT_FOUND: {
        what: 'The configuration file is missing',
        help: 'The current settings stay in effect. Put the file back, or restore a previous version from config-history in the state directory.',
      },
      CONFIG_UNREADABLE: {
        what: 'The configuration file can’t be read',
        help: 'The current settings stay in effect. Allow the user that runs receiptd to read the file.',
      },
      CONFIG_SYNTAX: {
        what: 'The configuration file is not valid YAML',
        help: 'The current settings stay in effect. Correct the file; it is reloaded automatically.',
      },
      CONFIG_INVALID: {
        what: 'A setting is not valid',
        help: 'No part of the change is in effect. Correct the setting.',
      },
      CONFIG_CHANGED: {
        what: 'Somebody else changed the configuration',
        help: 'Nothing was saved. Reload the page, check your change, and save again.',
      },
      CONFIG_UNWRITABLE: {
        what: 'The configuration file can’t be written',
        help: 'Nothing was changed. Allow the user that runs receiptd to write the file and its directory.',
      },
      TEMPLATE_INVALID: {
        what: 'The name template is not valid',
        help: 'Use the fields in braces that are listed below the input.',
      },
      FOLDERS_NESTED: {
        what: 'One folder is inside another',
        help: 'Each file would be sent twice. Watch only one of them, with its subfolders if needed.',
      },
      ENDPOINT_UNKNOWN: {
        what: 'This endpoint is not in the configuration',
        help: 'Choose one that is listed under Endpoints, or add it there.',
      },
      ENDPOINT_IS_EXAMPLE: {
        what: 'The endpoint still has the uid from the example',
        help: 'Enter the uid of your endpoint, or create one.',
      },
      ACCOUNT_UNKNOWN: {
        what: 'This account is not in the configuration',
        help: 'Choose another account for the endpoint, or add this one to the file.',
      },
      HTTPS_REQUIRED: {
        what: 'The service address must start with https',
        help: 'Otherwise, others on the network could read the credentials.',
      },
      FOLDER_MISSING: {
        what: 'The folder does not exist',
        help: 'Create or mount it, or correct its path. Watching then starts automatically.',
      },
      FOLDER_NOT_A_DIRECTORY: {
        what: 'This is not a folder',
        help: 'Enter the folder that contains the scans.',
      },
      FOLDER_UNREADABLE: {
        what: 'The folder can’t be read',
        help: 'Allow the user that runs receiptd to read and open it. It is then watched by itself.',
      },
      FOLDER_UNWRITABLE: {
        what: 'The folder can’t be written',
        help: 'Allow the user that runs receiptd to write to it and to the archive. Until then, originals stay where they are.',
      },
      FILE_UNREADABLE: {
        what: 'Files can’t be read',
        help: 'Allow the user that runs receiptd to read them, or close the program that has them open. They are retried automatically.',
      },
      FOLDER_UNREACHABLE: {
        what: 'The folder can’t be reached, or has been replaced',
        help: 'Nothing in it counts as deleted, and watching continues once it is back. Check the server and the network. If it was emptied or replaced on purpose, confirm that.',
      },
      FOLDER_TAKEN: {
        what: 'Another agent on this machine watches this folder',
        help: 'Stop one of the two, or remove the folder from one of them.',
      },
      FOLDER_TAKEN_OVER: {
        what: 'The folder was taken over from another agent, and older files in it were skipped',
        help: 'Compare the skipped files with what the other agent sent.',
      },
      FOLDER_TAKEN_ELSEWHERE: {
        what: 'Another agent seems to watch the same folder, so both send every receipt',
        help: 'Let only one of them watch the folder, or let both share a ledger. If a person moved the files, nothing is wrong.',
      },
      WATCH_LIMIT: {
        what: 'The system’s limit for watched folders is reached',
        help: 'receiptd checks for new files at intervals instead. An administrator can raise the limit.',
      },
      FOLDER_SILENT: {
        what: 'No scans arrive',
        help: 'Check the scanner, and the network between it and the folder. On a holiday, this is normal.',
      },
      SUBFOLDERS_UNWATCHED: {
        what: 'Subfolders hold images and are not watched',
        help: 'To send their images, watch the subfolders too. If they hold no new scans, add them to the files to ignore.',
      },
      ATTENTION_UNWRITABLE: {
        what: 'Files that need attention can’t be shown to people at the scanner',
        help: 'Allow the user that runs receiptd to write to that folder, or choose another one.',
      },
      STATE_UNWRITABLE: {
        what: 'The state directory can’t be written',
        help: 'Check its free space and permissions. Until then, new scans stay in their folders.',
      },
      LEDGER_MISSING: {
        what: 'The ledger is missing',
        help: 'Restore it from a backup, on the machine that receiptd runs on.',
      },
      LEDGER_OLDER: {
        what: 'The ledger is from an older version',
        help: 'Restart receiptd: it upgrades the ledger.',
      },
      LEDGER_NEWER: { what: 'The ledger is from a newer version', help: 'Update receiptd on this machine.' },
      LEDGER_DAMAGED: {
        what: 'The ledger is or was damaged',
        help: 'Check the disk. If this message stays, restart receiptd. It rebuilds the ledger from backup and journal.',
      },
      LEDGER_WRITE_FAILED: {
        what: 'Nothing can be recorded in the ledger',
        help: 'Nothing is sent until this works again. Check the disk or the database. receiptd retries automatically.',
      },
      DISK_FULL: {
        what: 'The disk is full',
        help: 'Free some space. Until then, nothing is sent; then receiptd continues automatically.',
      },
      DISK_SLOW: {
        what: 'The disk is very slow',
        help: 'Nothing is lost, but every receipt is delayed. Check the disk’s health and what else uses it.',
      },
      LEDGER_SHARED: {
        what: 'The ledger is shared with other agents',
        help: 'This only works if the agent has its own ledger.',
      },
      LEDGER_UNREACHABLE: {
        what: 'The shared ledger can’t be reached',
        help: 'Scans are copied or stay in their folders and are sent once the ledger is back. Check the database and the network.',
      },
      LEDGER_REFUSED: {
        what: 'The database refuses access',
        help: 'Check the database user, password and privileges.',
      },
      LEDGER_WENT_BACK: {
        what: 'The shared ledger lacks what was recorded in it',
        help: 'Find out which backup or standby took over. What was sent meanwhile is sent again and marked.',
      },
      AGENT_NAME_TAKEN: {
        what: 'Another agent has the same name',
        help: 'Give each agent in the fleet a unique name.',
      },
      AGENT_FENCED: {
        what: 'Another agent has taken over this agent’s work',
        help: 'It continues automatically. Check this machine’s clock and network.',
      },
      AGENT_UNKNOWN: { what: 'This agent is not in the fleet', help: 'Reload this page.' },
      AGENT_SILENT: {
        what: 'An agent in the fleet does not respond',
        help: 'Check whether its machine and network are up, and start the agent there.',
      },
      BACKUP_FAILED: {
        what: 'The ledger could not be backed up',
        help: 'Check the free space and permissions of the state directory. receiptd retries automatically.',
      },
      JOURNAL_DAMAGED: {
        what: 'The journal of the ledger is damaged',
        help: 'Check the disk. Ask the machine’s administrator to verify the ledger.',
      },
      SPOOL_FULL: {
        what: 'There is no space for more copies of images',
        help: 'Scans that can’t be sent immediately stay in their folders. Fix what keeps uploads waiting, or allow more space.',
      },
      SPOOL_UNWRITABLE: {
        what: 'Copies of images can’t be written',
        help: 'Check the free space and permissions of the state directory. Scans stay in their folders meanwhile.',
      },
      DOCUMENT_UNKNOWN: {
        what: 'This document or file does not exist, or no longer needs a person',
        help: 'Search for it in the list of documents.',
      },
      DOCUMENT_AMBIGUOUS: {
        what: 'Several documents have this name',
        help: 'Choose one in the list of documents.',
      },
      DOCUMENT_STATE: {
        what: 'This is not possible in the document’s current state',
        help: 'It may have changed in the meantime. Check it again.',
      },
      DOCUMENT_TAKEN: {
        what: 'Another agent is sending this document',
        help: 'Wait a moment, then check again.',
      },
      DOCUMENT_HELD: { what: 'This document is on hold', help: 'The overview says why.' },
      BYTES_GONE: {
        what: 'The image is no longer there',
        help: 'Put the file back into its folder, or scan the receipt again.',
      },
      PERSON_NEEDED: { what: 'Scans need a person', help: 'Look at them in the list of documents.' },
      CREDENTIALS_MISSING: {
        what: 'Credentials for the service are missing',
        help: 'Run `receiptd login` on the machine that receiptd runs on. Scans are recorded meanwhile.',
      },
      CREDENTIALS_INSECURE: {
        what: 'Others can read a file with secrets',
        help: 'Make it readable only by its owner, and consider replacing the secret.',
      },
      CREDENTIALS_REFUSED: {
        what: 'The service does not accept the credentials',
        help: 'Run `receiptd login` on the machine that receiptd runs on.',
      },
      CREDENTIALS_UNWRITABLE: {
        what: 'Credentials can’t be stored',
        help: 'The stored credentials were not changed. Check the permissions of the place where they are kept.',
      },
      KEYCHAIN_UNAVAILABLE: {
        what: 'The system keychain does not respond',
        help: 'Repair it, or keep the credentials in a file: `receiptd login --store file`.',
      },
      KEYCHAIN_LOCKED: {
        what: 'The system keychain is locked',
        help: 'Log in to the desktop to unlock it, or keep the credentials in a file: `receiptd login --store file`.',
      },
      SERVICE_UNREACHABLE: {
        what: 'The service can’t be reached',
        help: 'Nothing is lost, and uploads are retried automatically. Check the network and the service address.',
      },
      SERVICE_ANSWER: {
        what: 'Something other than the service answered',
        help: 'Check the service address, and whether a proxy or a login page is in the way.',
      },
      ENDPOINT_FORBIDDEN: {
        what: 'The service does not allow this account to do that',
        help: 'Check the account’s plan and permissions on the service’s website.',
      },
      ENDPOINT_REFUSED: {
        what: 'The service refused this',
        help: 'Correct the name, language or address, and try again.',
      },
      CREATE_UNCERTAIN: {
        what: 'The answer was lost: the endpoint may have been created',
        help: 'Check the service’s website before you try again: each success creates another endpoint.',
      },
      USAGE: {
        what: 'This request is not valid',
        help: 'Reload this page. The details say what is wrong.',
      },
      NOT_RUNNING: { what: 'receiptd is stopping or not running', help: 'Try again in a moment.' },
      CONTROL_FAILED: {
        what: 'receiptd could not do this',
        help: 'Reload this page. If that does not help, see the log.',
      },
      PORT_IN_USE: {
        what: 'Another program uses the port',
        help: 'receiptd continues without it and keeps trying. Choose another port in the configuration file.',
      },
      MONITORING_UNAVAILABLE: {
        what: 'Monitoring is not available',
        help: 'Receipts are still sent. Correct its address in the configuration file.',
      },
      CONSOLE_UNAVAILABLE: {
        what: 'The console is not available at its configured address',
        help: 'Receipts are still sent. Correct the address, certificate or password on the machine that receiptd runs on.',
      },
      CONSOLE_SIGNED_OUT: {
        what: 'You are not signed in, or the link or password is wrong or too old',
        help: 'Sign in with the password, or open the console again with a new link.',
      },
      CONSOLE_REFUSED: {
        what: 'The console may not do this',
        help: 'You can do it on the machine that receiptd runs on, in the configuration file or on the command line.',
      },
      ALERT_UNDELIVERED: {
        what: 'Alerts can’t be delivered through this channel',
        help: 'They are retried for a day. Correct the settings, and send a test.',
      },
      RESULTS_UNAVAILABLE: {
        what: 'Results from the service can’t be received',
        help: 'Receipts are still sent. Correct the receiver’s address, certificate or secret.',
      },
      RESULTS_COMMAND_FAILED: {
        what: 'The program for results fails',
        help: 'Nothing is lost: results are passed to it again later. Run it by hand on the machine that receiptd runs on.',
      },
      RESULT_UNKNOWN: { what: 'This result does not exist', help: 'Search for it in the list of results.' },
    },
  };
}
