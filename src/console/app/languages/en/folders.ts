import type { Format } from '../../textFormat.ts';

/** Folders. */
export function foldersTexts({ counted, number }: Format) {
  return {
    folders: {
      title: 'Folders',
      all: 'All folders',
      path: 'Folder',
      state: 'State',
      endpoint: 'Endpoint',
      watched: 'New files',
      mode: { events: 'at once', polled: 'at intervals' },
      settling: (n: number) => `${counted(n, 'file is', 'files are')} not complete yet`,
      add: 'Add folder',
      addTitle: 'Add a folder',
      editTitle: 'Edit folder',
      added: 'The folder was added.',
      browse: 'Browse …',
      lying: {
        none: 'It is empty now.',
        skip: (n: number) => `It contains ${counted(n, 'file', 'files')}, which will not be sent.`,
        since: (n: number) =>
          `It contains ${counted(n, 'file', 'files')}; receipts among them that have changed since that day are sent.`,
        send: (n: number) =>
          `It contains ${counted(n, 'file', 'files')}; all receipts among them are sent and use uploads.`,
      },
      test: 'Test',
      testBefore: 'Test before saving',
      removed: (path: string) => `${path} is no longer watched.`,
      removeTitle: 'Remove this folder?',
      removeConfirm: 'Remove folder',
      removeMeans: 'It is no longer watched. Its files and records stay. Waiting documents are still sent.',
    },
    folderTest: {
      title: (path: string) => `Test of ${path}`,
      running: 'Trying …',
      levels: { ok: 'Fine.', warn: 'Take note.', fail: 'This does not work.' },
      fileSystem: (kind: string) => `File system: ${kind}`,
      mode: { events: 'new files are noticed at once', polled: 'receiptd checks for new files at intervals' },
      files: (n: string) => `files to look at: ${n}`,
      samples: 'Names files would get',
      file: 'File',
      name: 'Name',
      would: {
        send: 'would be sent',
        nothing: 'known already',
        duplicate: 'identical to another image',
        reject: 'would not be sent',
        skip: 'would be skipped',
        wait: 'would wait until complete',
      },
    },
    originals: {
      says: (files: number, folder: string) =>
        files === 1
          ? `1 file in ${folder} was sent before.`
          : `${number(files)} files in ${folder} were sent before.`,
      archive: {
        title: 'Archive originals from now on?',
        fromNowOn: 'New files only; existing ones stay',
        include: (files: number) =>
          files === 1 ? 'Archive that file too' : `Archive all ${number(files)} too`,
      },
      delete: {
        title: 'Delete originals from now on?',
        fromNowOn: 'New files only; existing ones stay',
        include: (files: number) =>
          files === 1 ? 'Delete that file too' : `Delete all ${number(files)} too`,
      },
    },
  };
}
