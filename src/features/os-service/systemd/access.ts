import { unitWords } from './quote.ts';
import { HOMES, isIn, TEMPORARY } from './places.ts';

/** What a service may do with a path, the users' permissions aside. */
export type UnitAccess = 'writes' | 'reads' | 'hidden';

/** A unit as systemd has it, drop-ins included. */
export interface EffectiveUnit {
  /** Path of its first file. */
  readonly file: string;
  readonly user: string;
  /** The configuration that it runs; null: it names none. */
  readonly configFile: string | null;
  accessTo(path: string): UnitAccess;
}

const YES = ['1', 'yes', 'y', 'true', 't', 'on'];
/** What `ProtectSystem` makes read-only. */
const SYSTEM: Readonly<Record<string, readonly string[]>> = {
  strict: ['/'],
  full: ['/usr', '/boot', '/efi', '/etc'],
  yes: ['/usr', '/boot', '/efi'],
};
/** Stay as they are, even if the rest is read-only. */
const KERNEL = ['/dev', '/proc', '/sys'];

/** Reads what `systemctl cat` prints. Understands the settings that a unit of receiptd has, and those that widen or narrow them. */
export function effectiveUnit(text: string): EffectiveUnit {
  const settings = settingsOf(text);
  const last = (name: string): string => settings.get(name)?.at(-1) ?? '';
  const listed = (name: string): string[] =>
    (settings.get(name) ?? []).flatMap(unitWords).map((path) => path.replace(/^[-+]+/, ''));
  const command = unitWords(last('ExecStart'));
  const at = command.indexOf('--config');
  const homes = last('ProtectHome').toLowerCase();
  const system = last('ProtectSystem').toLowerCase();
  const hidden = [
    ...listed('InaccessiblePaths'),
    ...(homes === 'tmpfs' || YES.includes(homes) ? HOMES : []),
    ...(YES.includes(last('PrivateTmp').toLowerCase()) ? TEMPORARY : []),
  ];
  const reads = [
    ...(SYSTEM[YES.includes(system) ? 'yes' : system] ?? []),
    ...(homes === 'read-only' ? HOMES : []),
    ...listed('ReadOnlyPaths'),
  ];
  const writes = [
    ...KERNEL,
    ...listed('ReadWritePaths'),
    ...listed('StateDirectory').map((name) => `/var/lib/${name}`),
  ];
  return {
    file: /^# (\/.*)$/m.exec(text)?.[1] ?? '',
    user: last('User') || 'root',
    configFile: at < 0 ? null : (command[at + 1] ?? null),
    accessTo: (path) => {
      if (isIn(path, hidden)) return 'hidden';
      return nearest(path, writes) >= nearest(path, reads) ? 'writes' : 'reads';
    },
  };
}

/** Length of the innermost of these places that contains the path; -1: none does. */
function nearest(path: string, places: readonly string[]): number {
  return Math.max(-1, ...places.filter((place) => isIn(path, [place])).map((place) => place.length));
}

/** The values of each setting of the service; an empty one forgets those before it. */
function settingsOf(text: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  let section = '';
  for (const line of text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((each) => each.trim())) {
    const [, name] = /^\[(.*)\]$/.exec(line) ?? [];
    if (name !== undefined) section = name;
    const [, key = '', value = ''] = /^([A-Za-z]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (section === 'Service' && key !== '')
      settings.set(key, value === '' ? [] : [...(settings.get(key) ?? []), value]);
  }
  return settings;
}
