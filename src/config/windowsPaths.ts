import type { Draft, DraftFolder } from './draft.ts';
import type { Problem } from './problems.ts';
import { namesStream } from '../core/domain/windowsNames.ts';
import { shorten } from './show.ts';

/** `C:scans` is relative to the current directory of that drive. */
const DRIVE_RELATIVE = /^[A-Za-z]:(?![\\/])/;
/** Device names, reserved in every directory and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;
/** SQLite's limit on Windows is 260 characters, including the names of the files inside. */
const LONGEST_STATE_DIR = 200;

/** Reports paths that only Windows treats specially. */
export function checkWindowsPaths({ folders, stateDir }: Draft, platform: NodeJS.Platform): Problem[] {
  if (platform !== 'win32') return [];
  return [...folders.flatMap(checkFolder), ...checkStateDir(stateDir.path)];
}

function checkFolder({ index, settings }: DraftFolder): Problem[] {
  return (['path', 'archiveTo', 'needsAttention'] as const).flatMap((key) => {
    const text = settings[key];
    if (text === undefined) return [];
    const why = whyNot(text);
    return why === null
      ? []
      : [
          {
            code: 'CONFIG_INVALID' as const,
            path: ['folders', index, key],
            text: `"${shorten(text)}" ${why}`,
          },
        ];
  });
}

function whyNot(text: string): string | null {
  if (DRIVE_RELATIVE.test(text))
    return `depends on the current directory of drive ${text.slice(0, 2)}; write ${text.slice(0, 2)}\\ and the full path`;
  const segments = text.split(/[\\/]/).filter((segment) => !/^\.{0,2}$/.test(segment));
  const device = segments.find((segment) => DEVICE.test(segment));
  if (device !== undefined) return `contains a Windows device name (${device}); choose a different one`;
  if (namesStream(text, 'win32'))
    return 'refers to an alternate data stream; remove the colon and what comes after it';
  const cut = segments.find((segment) => /[. ]$/.test(segment));
  return cut === undefined
    ? null
    : `has a name that ends with a dot or a space, which Windows removes; choose a different one`;
}

function checkStateDir(path: string): Problem[] {
  const why = namesStream(path, 'win32') ? whyNot(path) : null;
  if (why !== null)
    return [{ code: 'CONFIG_INVALID', path: ['stateDir'], text: `"${shorten(path)}" ${why}` }];
  if (path.length <= LONGEST_STATE_DIR) return [];
  const text = `the path of the state directory has ${path.length} characters, but on Windows the ledger can only be opened with up to ${LONGEST_STATE_DIR}; choose a shorter one`;
  return [{ code: 'CONFIG_INVALID', path: ['stateDir'], text }];
}
