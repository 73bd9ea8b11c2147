import { parseConfig } from '../../../src/config/load.ts';
import type { Config } from '../../../src/config/config.ts';
import type { Dice } from '../support/dice.ts';
import { UIDS, type Alias } from '../support/office.ts';
import { LARGEST } from './contents.ts';
import { OUTSIDE, WATCHED } from './drawing.ts';

/** Settings of a watched folder, as the campaign models them. */
export interface FolderRule {
  /** `a` or `b`. */
  readonly folder: string;
  readonly endpoint: Alias;
  readonly recursive: boolean;
  readonly watch: 'auto' | 'poll';
  /** Only names with these endings, in any case; empty: all names. */
  readonly endings: readonly string[];
  /** Ignores files with these prefixes, and directories with these names. */
  readonly ignored: readonly string[];
  readonly afterUpload: 'keep' | 'archive' | 'delete';
  /** Location of the archive: in the folder, next to it, or on another disk. */
  readonly archive: 'within' | 'beside' | 'elsewhere';
  readonly shortMs: number;
  readonly longMs: number;
}

export interface RoundSettings {
  readonly folders: readonly FolderRule[];
  readonly patienceMs: number;
  readonly spool: 'auto' | 'always';
  readonly reconcileEveryMs: number;
  readonly pollEveryMs: number;
  readonly name: string;
  /** Maximum delay of the service's answers. */
  readonly slowestAnswerMs: number;
}

export function drawSettings(dice: Dice): RoundSettings {
  const folder = (path: string, endpoint: FolderRule['endpoint']): FolderRule => {
    const shortMs = dice.int(30, 120);
    return {
      folder: path,
      endpoint,
      recursive: dice.chance(0.75),
      watch: dice.chance(0.8) ? 'auto' : 'poll',
      endings: dice.chance(0.25) ? ['.jpg', '.jpeg', '.png', '.tif'] : [],
      ignored: dice.chance(0.4) ? ['skip-', 'drafts'] : [],
      afterUpload: dice.weighted({ keep: 5, archive: 3, delete: 2 }),
      archive: dice.pick(['within', 'beside', 'elsewhere']),
      shortMs,
      longMs: shortMs + dice.int(40, 250),
    };
  };
  return {
    folders: [folder('a', 'office'), folder('b', dice.chance(0.5) ? 'office' : 'depot')],
    patienceMs: dice.int(400, 1_500),
    spool: dice.chance(0.7) ? 'auto' : 'always',
    reconcileEveryMs: dice.int(500, 3_000),
    pollEveryMs: dice.int(300, 1_000),
    slowestAnswerMs: dice.pick([10, 50, 200, 600]),
    name: dice.pick(['{stem}-{hash:12}', '{date:YYYY}-{seq:5}', '{path}{ext}', '{stem}']),
  };
}

/** Absolute paths of one round. */
export interface Places {
  /** Parent of the watched folders, from the agent's view. */
  readonly watched: string;
  /** Parent of the archives for `elsewhere`, on another file system if there is one. */
  readonly elsewhere: string;
  readonly stateDir: string;
}

/** The real configuration, as a person would write it. */
export function configOf(settings: RoundSettings, places: Places): Config {
  const text = JSON.stringify({
    service: { baseUrl: 'http://127.0.0.1:9' },
    endpoints: { office: { uid: UIDS.office }, depot: { uid: UIDS.depot } },
    folders: settings.folders.map((rule) => ({
      path: `${places.watched}/${rule.folder}`,
      endpoint: rule.endpoint,
      recursive: rule.recursive,
      watch: rule.watch,
      ...(rule.endings.length > 0 && { include: rule.endings.map((ending) => `*${ending}`) }),
      ignore: rule.ignored.map((beginning) => `${beginning}*`),
      settle: { short: `${rule.shortMs}ms`, long: `${rule.longMs}ms`, patience: `${settings.patienceMs}ms` },
      maxFileSize: `${LARGEST}B`,
      name: settings.name,
      afterUpload: rule.afterUpload,
      ...(rule.archive !== 'within' && { archiveTo: archiveOf(rule, places) }),
    })),
    delivery: { concurrency: 4 },
    intake: { reconcileEvery: `${settings.reconcileEveryMs}ms`, pollEvery: `${settings.pollEveryMs}ms` },
    spool: settings.spool,
    stateDir: places.stateDir,
  });
  const context = {
    env: {},
    platform: process.platform,
    home: places.stateDir,
    cwd: places.watched,
    isRoot: false,
  };
  return parseConfig(text, `${places.stateDir}/receiptd.yaml`, context);
}

/** Absolute path of the folder's archive. */
export function archiveOf(
  { folder, archive }: FolderRule,
  { watched, elsewhere }: Pick<Places, 'watched' | 'elsewhere'>,
): string {
  switch (archive) {
    case 'within':
      return `${watched}/${folder}/archive`;
    case 'beside':
      return `${watched}/archive-${folder}`;
    case 'elsewhere':
      return `${elsewhere}/archive-${folder}`;
  }
}

/** The archives, which belong to the agent, so that the campaign's operations never enter them. */
export const ARCHIVES: readonly string[] = WATCHED.flatMap((folder) => [
  `${folder}/archive`,
  `archive-${folder}`,
]);

const MOVED_ASIDE = new RegExp(`^${OUTSIDE}/.*\\.receiptd-aside-`, 's');

/** Whether a path outside the watched folders was aside when somebody moved its directory there. */
export function isMovedAside(path: string): boolean {
  return MOVED_ASIDE.test(path);
}
