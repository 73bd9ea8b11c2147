/** The manual page besides what the help says; in English, like all documentation. */
export const manPageTexts = {
  made: 'Made by npm run generate.',
  description:
    'receiptd watches the folders that scanners save receipts to, gives each new image a document name, uploads it to a receipt analysis service at the rate you set, and keeps a ledger of what happened to it.',
  example: 'For example:',
  seeAlso: 'The documentation that comes with receiptd; see its README.md.',
  statuses: {
    0: 'Done.',
    1: 'Failed; the message says why.',
    2: 'Wrong usage, or the configuration is not valid.',
    3: 'Something was refused, rejected or lost, or was changed by somebody else; a person has to look at it.',
    4: 'Something is waiting, or could not be read.',
    5: 'The service could not be reached.',
    6: 'Another receiptd uses this state directory.',
    130: 'Stopped by a signal.',
  },
  environment: {
    RECEIPTD_CONFIG: 'The config file, unless --config names one.',
    RECEIPTD_STATE_DIR: 'The state directory; overrides the config file.',
    'RECEIPTD_CLIENT_ID, RECEIPTD_CLIENT_SECRET':
      'Credentials for the service; they override every other store.',
    NO_COLOR: 'If set, output is not coloured.',
  },
  files: {
    './receiptd.yaml, ~/.config/receiptd/receiptd.yaml, /etc/receiptd/receiptd.yaml':
      'The config file: the first one that exists.',
    '/var/lib/receiptd, ~/.local/state/receiptd':
      'The default state directory, for root and for other users.',
  },
};
