import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  lookAtFolder,
  likelyFolders,
  thisMachine,
  type FolderInspection,
} from '../../wiring/lookAtFolder.ts';
import type { Config } from '../../config/config.ts';
import { resolvePath } from '../../config/resolve.ts';
import { ReceiptdError, systemCode, type ErrorCode } from '../../core/domain/errors.ts';
import { joined, plain, says, saysError, type Said } from '../../core/domain/setupWords.ts';
import { local } from '../../core/domain/words.ts';
import { wrongFolder } from '../../wiring/directories.ts';
import { sentence } from './checks.ts';
import type { PromptChoice } from './prompts.ts';
import type { Talk } from './talk.ts';
import { within } from '../../core/domain/why.ts';

export interface FolderAnswer {
  /** Absolute. */
  readonly path: string;
  /** Not in the configuration yet. */
  readonly isNew: boolean;
  /** The directory has to be created. */
  readonly create: boolean;
  /** For a new folder: what to do with files already in it. */
  readonly existing: string;
  /** Number of those files; null if there are too many to count. */
  readonly files: number | null;
}

const REFUSALS = {
  missing: 'FOLDER_MISSING',
  notADirectory: 'FOLDER_NOT_A_DIRECTORY',
  unreadable: 'FOLDER_UNREADABLE',
  unreachable: 'FOLDER_UNREACHABLE',
} as const satisfies Readonly<Record<Exclude<FolderInspection['state'], 'present'>, ErrorCode>>;

/** `config`: as planned so far. `check` throws if a configuration with the folder is invalid. */
export async function folderStep(
  talk: Talk,
  config: Config,
  check: (path: string) => void,
): Promise<FolderAnswer> {
  const { given, found, ask, say } = talk;
  const resolved = (text: string) => resolvePath(text, found.context.cwd, found.context);
  const configured = configuredFolders(talk);
  const answer = async (path: string): Promise<FolderAnswer> => {
    check(path);
    const isNew = !configured.includes(path);
    const look = await lookAtFolder(path, config);
    if (look.state === 'missing' && (given.createFolder ?? (await mayCreate(talk, path)))) {
      await demandMakeable(path, dirname(path));
      return { path, isNew, create: true, existing: given.existing ?? 'send', files: 0 };
    }
    // Accept a configured folder that is missing: the agent waits for it too.
    if (look.state !== 'present' && !isNew) {
      say(plain(look.why));
      return { path, isNew, create: false, existing: 'send', files: null };
    }
    if (look.state === 'missing' || look.state === 'notADirectory')
      throw new ReceiptdError(`${REFUSALS[look.state]}.chosen`, { folder: path });
    if (look.state !== 'present') throw new ReceiptdError(`${REFUSALS[look.state]}.chosen`, within(look.why));
    say(describe(path, look));
    const existing = isNew ? await existingFiles(talk, look.files) : 'send';
    return { path, isNew, create: false, existing, files: look.files };
  };
  if (given.folder !== undefined) return answer(resolved(given.folder));
  if (ask === null) return answer(configured[0] ?? '');
  const choices = await candidates(talk, config, configured);
  for (;;) {
    const chosen = choices.length === 0 ? null : await ask.choose(says('folder.which'), choices);
    const typed =
      chosen ??
      (await ask.text(says('folder.path'), {
        wrong: sentence(wrongFolder),
        isFolder: true,
      }));
    const path = resolved(typed);
    if (path !== typed) say(says('folder.meant', { path }));
    try {
      return await answer(path);
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      say(saysError(error));
    }
  }
}

/** Checks that `path` can be created below the existing `directory`. @throws ReceiptdError FOLDER_UNWRITABLE */
async function demandMakeable(path: string, directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && dirname(directory) !== directory)
      return demandMakeable(path, dirname(directory));
    throw uncreatable(path, error);
  }
}

export function uncreatable(path: string, cause: unknown): ReceiptdError {
  return new ReceiptdError(
    'FOLDER_UNWRITABLE.notCreated',
    { path, system: systemCode(cause) ?? null },
    { cause },
  );
}

/**
 * What to do with files in folders that are already configured: the given answer for the chosen one. `isFresh`: the ledger
 * is new and knows none of them, so asks for each folder.
 */
export async function existingStep(
  talk: Talk,
  config: Config,
  chosen: FolderAnswer,
  isFresh: boolean,
): Promise<ReadonlyMap<string, string>> {
  const { given, say } = talk;
  const configured = configuredFolders(talk);
  const answers = new Map<string, string>();
  for (const path of isFresh ? configured : configured.filter((each) => each === chosen.path)) {
    if (given.existing !== undefined) {
      answers.set(path, given.existing);
    } else if (isFresh) {
      const look = await lookAtFolder(path, config);
      if (look.state !== 'present' || look.files === 0) continue;
      say(describe(path, look));
      answers.set(path, await existingFiles(talk, look.files));
    }
  }
  return answers;
}

/** Folders in the config file, unless it is the unchanged example. */
export function configuredFolders({ found: { before } }: Pick<Talk, 'found'>): string[] {
  return before === null || before.isExample ? [] : before.config.folders.map(({ path }) => path);
}

async function mayCreate({ ask }: Talk, path: string): Promise<boolean> {
  return ask !== null && (await ask.confirm(says('folder.make', { path }), true));
}

async function existingFiles({ given, ask }: Talk, files: number | null): Promise<string> {
  if (given.existing !== undefined) return given.existing;
  if (files === 0 || ask === null) return 'send';
  const all = files === null ? says('existing.sendAll') : says('existing.send', { files });
  return ask.choose(
    says('existing.what'),
    [
      { label: says('existing.skip'), value: 'skip' },
      { label: all, value: 'send', about: says('existing.sendAbout') },
    ],
    'skip',
  );
}

async function candidates(
  talk: Talk,
  config: Config,
  configured: readonly string[],
): Promise<PromptChoice<string | null>[]> {
  const { context } = talk.found;
  const likely = await likelyFolders(thisMachine(context));
  const found: { path: string; look: FolderInspection & { state: 'present' } }[] = [];
  for (const path of likely) {
    if (configured.includes(path)) continue;
    const look = await lookAtFolder(path, config);
    if (look.state === 'present') found.push({ path, look });
  }
  found.sort((a, b) => (b.look.newest?.at ?? 0) - (a.look.newest?.at ?? 0));
  const choices: PromptChoice<string | null>[] = [
    ...configured.map((path) => ({ label: plain(path), value: path, about: says('folder.watched') })),
    ...found.map(({ path, look }) => ({ label: plain(path), value: path, about: detail(look) })),
  ];
  return choices.length === 0 ? [] : [...choices, { label: says('folder.another'), value: null }];
}

function describe(path: string, look: FolderInspection & { state: 'present' }): Said {
  return joined(says('folder.at', { path }), detail(look));
}

function detail({ fileSystem, isNetwork, files, newest }: FolderInspection & { state: 'present' }): Said {
  return joined(
    says(isNetwork ? 'folder.share' : 'folder.here', { fileSystem }),
    files === null
      ? says('folder.countless')
      : files === 0
        ? says('folder.empty')
        : says('folder.files', { files }),
    ...(newest === null ? [] : [says('folder.newest', { name: newest.name, at: local(newest.at) })]),
    says('folder.end'),
  );
}
