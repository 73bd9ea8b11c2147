import type { Format } from '../../textFormat.ts';

/** Settings, and the consequences of a change. */
export function settingsTexts({ counted, number }: Format) {
  const files = (n: number): string => counted(n, 'file', 'files');
  return {
    form: {
      required: 'required',
      save: 'Save',
      saving: 'Saving …',
      saved: 'Saved and in effect.',
      unchanged: 'There are no changes to save.',
      refused: 'Not saved, and nothing was changed:',
      goneFromFile: 'This is no longer in the configuration file.',
      conflict: (file: string) =>
        `Not saved: somebody else changed ${file} after you opened this page. Reload it, check your changes, and save again.`,
      reloadKeep: 'Reload, keep what I typed',
      reloadDiscard: 'Reload, discard what I typed',
      reloadedKept: 'The file was reloaded. What you typed is still there.',
      reloaded: 'The file was reloaded.',
      standard: (value: string) => (value === '' ? '' : `default: ${value}`),
      words: { true: 'yes', false: 'no', unlimited: 'unlimited', always: 'always' },
      atStart: 'Takes effect at the next start.',
      perLine: 'One per line.',
      per: { s: 'per second', min: 'per minute', h: 'per hour' },
      more: 'More settings',
      groups: {
        which: 'Which folder?',
        where: 'Where to?',
        lying: 'What about the files already in it?',
        folder: 'Folder',
        files: 'Which files, and their names',
        images: 'Pages and quality',
        after: 'After the upload',
        people: 'For the people at the scanner',
        settle: 'When a file counts as complete',
        endpoint: 'Endpoint',
        pace: 'Pace',
        hours: 'Sending hours',
      },
    },
    /** Editable settings, and those that can only be changed in the file. */
    settings: {
      title: 'Settings',
      undo: 'Undo',
      undoTitle: 'Undo the last change?',
      undone: 'The last change was undone.',
      lastChange: (keys: string, at: string) =>
        `Changed here at ${at}: ${keys}. Undoing this restores the settings, but not what has been sent, archived or removed in the meantime.`,
      inFile: 'Only in the file',
      inFileMeans: (file: string) =>
        `Change these in ${file} with an editor on the machine that receiptd runs on. That way, somebody who takes over a signed-in browser can’t change them.`,
      notSet: 'not set',
      why: {
        program: 'A program that receiptd runs.',
        secret: 'Specifies where a secret is kept.',
        listens: 'An address that receiptd listens on.',
        credentials: 'Decides where the credentials are sent.',
        trust: 'Decides which certificates are used or trusted.',
        reach: 'Decides who may change what.',
        ledger: 'Decides where documents are recorded.',
      },
      elsewhere: {
        folders: {
          title: 'Folders',
          means:
            'What is watched, how documents are named, what happens to originals, and the folder for files that need attention.',
        },
        endpoints: { title: 'Endpoints', means: 'Where receipts go, and the limits of each endpoint.' },
        sending: { title: 'Sending', means: 'Limits for all endpoints together, and sending hours.' },
      },
      sections: {
        alerts: { title: 'Alerts', means: 'Who is alerted when something breaks and when it is fixed.' },
        results: {
          title: 'Results',
          means: 'How results that the service posts about documents are received.',
        },
        monitoring: {
          title: 'Monitoring',
          means: 'Metrics and health checks for monitoring systems such as Prometheus.',
        },
        intake: { title: 'Taking in', means: 'How often folders are checked.' },
        storage: {
          title: 'Storage and log',
          means: 'Copies of images, backups of the ledger, and the log: how much, and for how long.',
        },
        console: { title: 'Console', means: 'Host names of this console, and its thumbnails.' },
        service: { title: 'Service', means: 'How uploads are made, and how long to wait for answers.' },
        machine: {
          title: 'This machine',
          means: 'Where documents are recorded, and who controls the agent.',
        },
      },
      file: { title: 'The file', means: 'The whole file as text, including comments.' },
      groups: {
        mail: 'By mail',
        otherChannels: 'In other ways',
        when: 'When',
        results: 'What is accepted',
        intake: 'Folders',
        copies: 'Copies of images',
        backups: 'Backups of the ledger',
        log: 'Log file',
        console: 'Console',
        service: 'Uploads and answers',
        timeouts: 'Longest waits',
      },
    },
    alerts: {
      test: 'Test',
      testMeans: 'Sends a test alert immediately, using the saved settings.',
      noChannel: 'No alerts are sent, because no mail server, webhook or other channel is set up yet.',
      send: 'Send a test',
      sending: 'Sending …',
      taken: 'Delivered.',
      delivered: (channel: string) => `The test was delivered: ${channel}.`,
      notDelivered: 'Not delivered.',
      correct: 'Correct the settings above, save, and try again.',
      password: {
        title: 'Password of the mail server',
        label: 'Password',
        help: 'It is stored with the credentials, never in the file, and not shown again. If you change the server or user, enter it again.',
        save: 'Store password',
        stored: 'The password was stored.',
        where: {
          missing: 'No password is stored for this user at this server, so mail is not delivered.',
          stored: 'A password is stored. Enter another one to replace it.',
          inFile: 'The password is in a file specified in the configuration. Change it there.',
        },
      },
    },
    /** Consequences of a change, shown before it is saved. */
    consequences: {
      title: 'Save this change?',
      confirm: 'Save',
      released: (waiting: number, before: number, after: number) =>
        `${counted(waiting, 'document waits', 'documents wait')} to be sent. With this change, up to ${number(after)} can be sent within an hour, up from ${number(before)}.`,
      spent: {
        day: (endpoint: string, used: number, limit: number, waiting: number) =>
          `${endpoint}: ${number(used)} uploads have already been made today, and the new limit is ${number(limit)}. Nothing is sent before tomorrow (waiting: ${number(waiting)}).`,
        month: (endpoint: string, used: number, limit: number, waiting: number) =>
          `${endpoint}: ${number(used)} uploads have already been made this month, and the new limit is ${number(limit)}. Nothing is sent before next month (waiting: ${number(waiting)}).`,
      },
      closed: (until: string, waiting: number) =>
        `Nothing is sent before ${until}, when sending hours begin (waiting: ${number(waiting)}).`,
      lookedAgain: (folder: string, n: number) =>
        `${files(n)} in ${folder} that ${n === 1 ? 'was' : 'were'} not sent will be checked again, and sent if they fit now.`,
      split: (folder: string) =>
        `New multi-page PDFs and TIFFs in ${folder} are split: each page becomes a separate document.`,
      whole: (folder: string, n: number) =>
        `New PDFs and TIFFs in ${folder} are sent unchanged. The ${files(n)} split so far stay as they are.`,
      wholeWithoutPdf: (folder: string, n: number) =>
        `New TIFFs in ${folder} are sent unchanged. PDFs are no longer sent, because PDF is not among the types to send. The ${files(n)} split so far stay as they are.`,
      firstWatched: (folder: string, n: number) =>
        `${folder} has never been watched. It contains ${counted(n, 'file', 'files')}, which will be checked; new receipts among them are sent immediately.`,
      manyWatched: (folder: string) =>
        `${folder} has never been watched. It contains more files than can be counted in a few seconds; new receipts among them are sent immediately.`,
      deletes: (folder: string, waiting: number) =>
        `From now on, originals in ${folder} are deleted once the service has accepted them (waiting: ${number(waiting)}). This cannot be undone.`,
      originals: {
        archive: (folder: string, n: number) =>
          `${counted(n, 'original', 'originals')} in ${folder} that the service has already accepted would be archived immediately.`,
        delete: (folder: string, n: number) =>
          `${counted(n, 'original', 'originals')} in ${folder} that the service has already accepted would be deleted immediately. This cannot be undone.`,
      },
      rerouted: (folder: string, from: string, to: string, waiting: number) =>
        `From now on, new scans in ${folder} go to ${to}. Documents already waiting (${number(waiting)}) still go to ${from}.`,
      stranded: (endpoint: string, waiting: number) =>
        `${counted(waiting, 'document waits', 'documents wait')} for ${endpoint} and would keep waiting, because that endpoint would no longer be in the configuration.`,
      copiesRemoved: (images: number) =>
        `${counted(images, 'copy', 'copies')} of failed or unconfirmed documents would be removed. Without their originals, these could not be sent again.`,
      spoolFull: (used: string, limit: string) =>
        `Copies currently use ${used}, more than ${limit}. New scans would wait in their folders until there is space.`,
      backupsRemoved: (n: number, kept: number) =>
        `${counted(n, 'backup', 'backups')} of the ledger would be removed after the next start; ${number(kept)} are kept.`,
      unprotected: (waiting: number) =>
        `Images are no longer copied: a scan that is overwritten or deleted while it waits is lost (waiting: ${number(waiting)}).`,
      nobodyAlerted: 'No channel would be left, so nobody would be alerted when something breaks.',
    },
    unsaved: {
      title: 'Leave without saving?',
      means: 'Your changes are not saved yet.',
      leave: 'Leave',
      stay: 'Stay here',
    },
    config: {
      title: 'Configuration file',
      means: 'The file itself, with its comments. It holds no secrets.',
      reload: 'Reload the file',
      reloaded: 'The file was reloaded.',
      file: 'File',
      revision: 'Revision',
      text: 'Text of the configuration file',
      problem: 'The file has an error and is not in effect. The previous configuration still is.',
      notWritable: (file: string, command: string | null) =>
        `receiptd can’t write its configuration file, ${file}, so changes made here are refused. ` +
        (command === null
          ? 'Change the file in an editor, or allow the user that runs receiptd to write the file and its directory. If it runs as a service, also run `sudo receiptd service install`.'
          : `To allow them, run \`${command}\`. Or change the file in an editor.`),
      restartNeeded: (keys: readonly string[]) => `Takes effect at the next start: ${keys.join(', ')}.`,
    },
  };
}
