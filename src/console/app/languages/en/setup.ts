/** The page of `receiptd setup --browser`. */
export function setupTexts() {
  return {
    /** The page of `receiptd setup --browser`. */
    setup: {
      title: 'Set up receiptd',
      notSignedIn: 'This page can only be opened with a link',
      how: 'Run this on the machine where you want to set up receiptd. It prints a new link, which works once.',
      busy: 'Working …',
      lost: 'receiptd no longer responds, because its window was closed or setup ended. Start it again there.',
      next: 'Next',
      back: 'Back',
      yes: 'Yes',
      no: 'No',
      restart: 'Start over',
      done: 'Setup is done',
      failed: 'Setup did not finish',
      openConsole: 'Open the console',
      folders: 'Folders',
      inside: (path: string) => `Folders in ${path}`,
      begin: 'Look in',
      up: 'One level up',
      none: 'No folders in here.',
      cut: 'There are more folders than shown. Type the path instead.',
      share: 'For a network share, type its path.',
    },
  };
}
