/** Files that programs and NAS boxes leave beside scans: never a receipt, or still incomplete. Patterns for names at any depth. */
export const BUILT_IN_IGNORES: readonly string[] = [
  // being written, or an editor's backup
  '~*',
  '*~',
  '*.tmp',
  '*.temp',
  '*.swp',
  // partial downloads and transfers
  '*.part',
  '*.partial',
  '*.crdownload',
  '*.download',
  '*.filepart',
  // hidden
  '.*',
  '._*',
  '.DS_Store',
  // thumbnails and folder settings
  'Thumbs.db',
  'ehthumbs.db',
  'desktop.ini',
  // recycle bins, snapshots and indexes of NAS boxes and file systems
  '@eaDir',
  '@Recycle',
  '@Recently-Snapshot',
  '#recycle',
  '#snapshot',
  '.snapshot',
  '$RECYCLE.BIN',
  'System Volume Information',
  'lost+found',
];

/** The agent's own files, such as originals set aside. Always ignored, whatever the config says. */
export const OWN_FILES: readonly string[] = ['.receiptd-*'];
