import type { Alert } from '../../../../src/core/ports/alert.ts';

export const OPENED: Alert = {
  id: '0b9f5c1e-8a2d-4c57-9a53-0e2f6f7f1d11',
  kind: 'opened',
  at: Date.UTC(2026, 0, 31, 9, 42, 13),
  host: 'scanpc',
  code: 'FOLDER_UNREACHABLE',
  subject: "/mnt/scans can't be reached.",
  text: "/mnt/scans can't be reached. [FOLDER_UNREACHABLE]\nSince 10:40.",
  hint: 'Bring its server back.',
  since: Date.UTC(2026, 0, 31, 9, 40),
  until: null,
  causes: [],
  follows: [],
};

export const NEVER = new AbortController().signal;
