import type { Format } from '../../textFormat.ts';

/** Lists of documents. */
export function documentsTexts({ counted, number }: Format) {
  const documents = (n: number): string => counted(n, 'document', 'documents');
  const files = (n: number): string => counted(n, 'file', 'files');
  const budgets = (perDay: number | null, perMonth: number | null): string => {
    const all = [
      ...(perDay === null ? [] : [`${number(perDay)} a day`]),
      ...(perMonth === null ? [] : [`${number(perMonth)} a month`]),
    ];
    return all.length === 0 ? '' : ` of ${all.join(' and ')}`;
  };
  return {
    documents: {
      title: 'Documents',
      csv: 'Download as CSV',
      json: 'Download as JSON',
      more: 'More',
      pages: 'Pages of documents',
      first: 'First page',
      previous: 'Previous page',
      next: 'Next page',
      image: 'Image',
      answerLost: 'An answer was lost, so the service may already have it.',
      searching: (n: number) => (n === 0 ? 'Searching …' : `${number(n)} found, still searching …`),
      lookedUntil: (date: string) => `Searched back to ${date}.`,
      stopped: 'The search was stopped.',
      none: 'Nothing found. Try broader filters.',
      total: (n: number, isAll: boolean) =>
        isAll ? `${number(n)} in all.` : `More than ${number(n)} in all.`,
      shown: (n: number, isAll: boolean) => `${number(n)} shown${isAll ? ' (all).' : '.'}`,
      stop: 'Stop',
      view: 'View',
      views: { list: 'List', grid: 'Grid' },
      pending: (n: number) => `Show ${counted(n, 'new document', 'new documents')}`,
    },
    byHand: {
      open: 'Send files …',
      drop: 'Drop files here to send them',
      none: 'Folders can’t be sent. Drop or choose the files in them.',
      title: (n: number) => `Send ${files(n)}?`,
      titles: { sending: 'Sending files …', over: 'Result' },
      files: 'Files',
      endpoint: 'To',
      means: (n: number, alias: string) => `Sends ${files(n)} to ${alias}.`,
      uses: (perDay: number | null, perMonth: number | null) =>
        `Each one that was not sent before uses one upload${budgets(perDay, perMonth)}.`,
      kept: 'receiptd keeps a copy only until the service has accepted it. Keep your files.',
      confirm: (n: number) => `Send ${files(n)}`,
      others: (n: number) => (n === 1 ? 'Send the other file' : `Send the other ${files(n)}`),
      stop: 'Stop',
      at: (index: number, n: number) => `Sending file ${number(index)} of ${number(n)} …`,
      progress: (file: string) => `Sent of ${file}`,
      checking: 'Checking …',
      queued: 'Queued as',
      accepted: 'Sent already as',
      known: 'Known already as',
      notSent: 'Not sent.',
      sum: (queued: number, known: number, left: number) =>
        [
          `${number(queued)} queued`,
          ...(known > 0 ? [`${number(known)} already known`] : []),
          ...(left > 0 ? [`${number(left)} not sent`] : []),
        ].join(', ') + '.',
      unreadable: 'The browser can’t read this file any more. It was moved, changed or deleted.',
    },
    saved: {
      title: 'Days and saved filters',
      today: 'Today',
      yesterday: 'Yesterday',
      week: 'This week',
      lastWeek: 'Last week',
      month: 'This month',
      lastMonth: 'Last month',
      save: 'Save this filter …',
      ask: 'Save this filter',
      name: 'Name',
      means: 'It is saved in this browser. To share it, send the address of this page.',
    },
    rejected: {
      title: 'Files not sent',
      none: 'No files are held back. Files that are not receipts are not listed here.',
      first: (n: number) => `The newest ${number(n)}. More will be listed once these are resolved.`,
      group: (why: string, n: number) => `${why} (${number(n)})`,
      raise: 'Raise the limit …',
      raiseTitle: 'Raise the limit of this folder?',
      raiseMeans: (folder: string, n: number) =>
        `${folder} will then send files up to this size. The ${counted(n, 'file', 'files')} listed here will be checked again, and sent if they fit.`,
      accept: (types: readonly string[]) => `Accept ${types.map((each) => each.toUpperCase()).join(', ')} …`,
      acceptTitle: (types: readonly string[]) =>
        `Send ${types.map((each) => each.toUpperCase()).join(', ')} from this folder?`,
      acceptMeans: (folder: string, n: number) =>
        `${folder} will then send such files. The ${counted(n, 'file', 'files')} listed here will be checked again.`,
      pdfMeans: 'PDFs are sent unchanged. Check first that your service accepts them.',
      save: 'Save and check again',
      looked: 'Saved. The files are being checked again.',
    },
    many: {
      title: 'Selection',
      select: 'Select',
      selected: (n: number) => `${number(n)} selected`,
      page: (n: number) => (n === 1 ? 'Select this one' : `Select these ${number(n)}`),
      all: (n: number) => `Select all ${number(n)} of this list`,
      none: 'Select none',
      acts: {
        again: (n: number) => `Send ${number(n)} again`,
        dismiss: (n: number) => `Dismiss ${number(n)}`,
      },
      zip: (n: number) => `Download ${counted(n, 'image', 'images')} (ZIP)`,
      csv: (n: number) => `Export ${number(n)} (CSV)`,
      json: (n: number) => `Export ${number(n)} (JSON)`,
      ask: {
        again: (n: number) => `Send ${documents(n)} again?`,
        dismiss: (n: number) => `Dismiss ${counted(n, 'entry', 'entries')}?`,
      },
      means: {
        retry:
          'Those that were not sent go under their names. Any that the service has after all could reach it twice.',
        resend:
          'Those that were sent go once more, under the same names. The service may process them twice or refuse them.',
        uploads: (n: number) => `This uses ${counted(n, 'upload', 'uploads')}.`,
        dismiss: 'They stay as they are but no longer count as needing attention.',
      },
      kinds: {
        retry: (n: number) => `Only the ${number(n)} that were not sent`,
        all: (n: number) => `All ${number(n)}`,
      },
      everything: 'No filter is set: this applies to everything ever seen.',
      done: {
        again: (n: number) => `Queued again: ${documents(n)}.`,
        dismiss: (n: number) => `Dismissed: ${number(n)}.`,
      },
      gone: (n: number) => `${documents(n)} could not be sent again: the images are gone.`,
    },
    filters: {
      title: 'Filters',
      search: 'Search',
      searchHint: 'Name, path, hash, status …',
      allStates: 'All states',
      waiting: 'Everything waiting',
      attention: 'Attention',
      allAttention: 'All',
      needed: 'Needs attention',
      dismissed: 'Dismissed',
      none: 'Nothing to do',
      settled: 'Everything not sent',
      counted: (text: string, n: number) => `${text} (${number(n)})`,
      folder: 'Folder',
      allFolders: 'All folders',
      allEndpoints: 'All endpoints',
      since: 'From',
      until: 'To',
      order: 'Order',
      newest: 'Newest first',
      oldest: 'Oldest first',
      column: 'Column',
      addColumn: 'Filter by …',
      contains: 'Contains',
      boundHint: 'Amount or day',
      clear: 'Clear filters',
      time: 'Time',
    },
  };
}
