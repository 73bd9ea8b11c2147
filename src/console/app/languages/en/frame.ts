import type { Format } from '../../textFormat.ts';

/** The frame around every page. */
export function frameTexts({ counted }: Format) {
  return {
    product: 'receiptd',
    language: 'Language',
    again: 'Try again',
    cancel: 'Cancel',
    close: 'Close',
    edit: 'Edit',
    remove: 'Remove',
    pause: 'Pause',
    resume: 'Resume',
    pauseAll: {
      open: 'Pause …',
      title: 'Pause everything',
      until: 'Until',
      at: 'Day and time',
      choices: {
        hour: () => 'for an hour',
        tomorrow: (at: string) => `tomorrow (${at})`,
        monday: (at: string) => `Monday (${at})`,
        other: () => 'another time …',
        open: () => 'until somebody resumes it',
      },
      means: (waiting: number) =>
        `Nothing is sent until then. Scans are still taken in and named. ${counted(waiting, 'document is', 'documents are')} waiting now.`,
      confirm: 'Pause everything',
      paused: 'Paused',
      pausedUntil: (at: string) => `Paused until ${at}`,
      by: (who: string, since: string) => `By ${who}, since ${since}`,
      resumed: 'Sending has resumed.',
    },
    actions: 'Actions',
    details: 'Details',
    /** Title of folded parts that most people rarely need. */
    administrators: 'For administrators',
    loading: 'Loading …',
    notLoaded: 'This page could not be loaded.',
    /** Label of a button for screen readers, which don't convey its row. */
    of: (word: string, what: string) => `${word} ${what}`,
    nav: {
      label: 'Pages',
      skip: 'Skip to the content',
      home: 'receiptd, go to Today',
      overview: 'Today',
      documents: 'Documents',
      days: 'Days',
      folders: 'Folders',
      endpoints: 'Endpoints',
      fleet: 'Fleet',
      log: 'Log',
      config: 'Settings',
      signOut: 'Sign out',
    },
    theme: {
      button: (now: string) => `Colours: ${now}`,
      auto: 'system setting',
      light: 'light',
      dark: 'dark',
    },
    connection: {
      connecting: 'Connecting',
      live: 'Live',
      lost: 'Lost',
      signedOut: 'Signed out',
      lostSince: (at: string) =>
        `The connection to receiptd was lost at ${at}, and this page shows the state at that time. The console keeps trying to reconnect. If this lasts, check whether receiptd is running; after a restart of receiptd, open the console again.`,
      tryNow: 'Try now',
      noAnswer:
        'receiptd does not respond. It may have been stopped, or the network is down. As far as this page knows, nothing was changed.',
      refused: (status: number) => `receiptd refused this and gave no reason (HTTP ${status}).`,
    },
    signIn: {
      title: 'You are not signed in',
      how: 'Run this on the machine that receiptd runs on. It opens the console with a new link.',
      once: 'Each link works once, and only for a short time.',
      orPassword: 'Or sign in with the password',
      password: 'Password',
      usedLink: 'This link has already been used or is older than five minutes. Get another one.',
      wrongPassword: 'Wrong password.',
      tooMany: (seconds: number) =>
        `Too many wrong passwords. Try again in ${counted(seconds, 'second', 'seconds')}, or use a link.`,
      submit: 'Sign in',
    },
    unknownPage: { title: 'Page not found', text: 'The address is wrong, or the page no longer exists.' },
    zone: {
      here: (zone: string) => `All times are in this browser’s time zone (${zone}).`,
      other: (zone: string) =>
        `receiptd runs in the time zone ${zone}; sending hours and daily limits follow its clock.`,
    },
    /** Names of the console pages that replace commands in advice written for a terminal. */
    pages: {
      unmatched: 'Results without a document',
      results: 'Results',
      needed: 'Documents that need attention',
      documents: 'Documents',
      status: 'Today',
      fleet: 'Fleet',
      create: 'Create endpoint',
    },
  };
}
