import type { Draft, DraftFolder } from './draft.ts';
import { invalid, type ConfigProblem } from './problems.ts';
import type { Flaw } from '../texts/en/settingFlaws.ts';
import { namesStream } from '../core/domain/windowsNames.ts';
import { shorten } from './show.ts';

/** `C:scans` is relative to the current directory of that drive. */
const DRIVE_RELATIVE = /^[A-Za-z]:(?![\\/])/;
/** Device names, reserved in every directory and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;
/** SQLite's limit on Windows is 260 characters, including the names of the files inside. */
const LONGEST_STATE_DIR = 200;

/** Reports paths that only Windows treats specially. */
export function checkWindowsPaths({ folders, stateDir }: Draft, platform: NodeJS.Platform): ConfigProblem[] {
  if (platform !== 'win32') return [];
  return [...folders.flatMap(checkFolder), ...checkStateDir(stateDir.path)];
}

function checkFolder({ index, settings }: DraftFolder): ConfigProblem[] {
  return (['path', 'archiveTo', 'needsAttention'] as const).flatMap((key) => {
    const text = settings[key];
    const flaw = text === undefined ? null : flawOf(text);
    return flaw === null ? [] : [invalid(['folders', index, key], flaw)];
  });
}

function flawOf(text: string): Flaw | null {
  const path = shorten(text);
  if (DRIVE_RELATIVE.test(text)) return { is: 'driveRelative', path, drive: text.slice(0, 2) };
  const segments = text.split(/[\\/]/).filter((segment) => !/^\.{0,2}$/.test(segment));
  const device = segments.find((segment) => DEVICE.test(segment));
  if (device !== undefined) return { is: 'device', path, device };
  if (namesStream(text, 'win32')) return { is: 'stream', path };
  return segments.some((segment) => /[. ]$/.test(segment)) ? { is: 'trailingDot', path } : null;
}

function checkStateDir(path: string): ConfigProblem[] {
  const length = { is: 'stateTooLong', length: path.length, longest: LONGEST_STATE_DIR } as const;
  const flaw =
    (namesStream(path, 'win32') ? flawOf(path) : null) ?? (path.length > LONGEST_STATE_DIR ? length : null);
  return flaw === null ? [] : [invalid(['stateDir'], flaw)];
}
