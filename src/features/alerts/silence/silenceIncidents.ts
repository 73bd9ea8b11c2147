import { explain } from './silenceText.ts';
import type { SilentFolders } from './silentFolders.ts';
import type { Incident } from '../../../core/ports/incident.ts';

/** More at once have one cause, and are one alarm. */
const EACH_AT_MOST = 3;
const LOOK = 'Look at the scanner, and at the network between it and the folder.';

/** What people are told. `paths`: of all folders that were looked at. */
export function incidentsOf(
  { all, alone }: SilentFolders,
  paths: readonly string[],
  now: number,
): Omit<Incident, 'since'>[] {
  const code = 'FOLDER_SILENT' as const;
  if (all !== null) {
    const what = paths.length === 1 ? `${paths[0] ?? ''} gets no scans` : 'No folder gets any scans';
    const hint = `If it is a holiday, all is well. Otherwise: ${LOOK.charAt(0).toLowerCase()}${LOOK.slice(1)}`;
    return [{ key: code, code, message: `${what}: ${explain(all, now)}.`, hint }];
  }
  if (alone.length > EACH_AT_MOST) {
    const named = alone.slice(0, EACH_AT_MOST).map(({ path }) => path);
    const message = `${alone.length} of ${paths.length} folders get no scans, although by their history they would have by now: ${named.join(', ')}, ...`;
    return [
      { key: code, code, message, hint: 'Look at what they have in common: a network, a server, a scanner.' },
    ];
  }
  return alone.map(({ path, ...silence }) => ({
    key: `${code} ${path}`,
    code,
    message: `${path} gets no scans: ${explain(silence, now)}.`,
    hint: LOOK,
  }));
}
