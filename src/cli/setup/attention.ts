import { resolvePath } from '../../config/resolve.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { says, saysError } from '../../core/domain/setupWords.ts';
import { wrongFolder } from '../../wiring/directories.ts';
import { sentence } from './checks.ts';
import type { FolderAnswer } from './folder.ts';
import type { PromptChoice } from './prompts.ts';
import type { Talk } from './talk.ts';

/** Inside the watched folder, where people who scan look anyway; never watched itself. */
const PROPOSED = '_needs attention';

/**
 * Asks for the folder that shows people at the scanner what could not be sent: a path, or none; undefined: unchanged. `check`
 * throws if a configuration with that answer is invalid.
 */
export async function attentionStep(
  { given, found, ask, say }: Talk,
  { path }: FolderAnswer,
  isPractice: boolean,
  check: (needsAttention: string) => void,
): Promise<string | undefined> {
  if (given.needsAttention !== undefined) {
    check(given.needsAttention);
    return given.needsAttention;
  }
  if (ask === null || isPractice) return undefined;
  const now = found.before?.config.folders.find((each) => each.path === path)?.needsAttention ?? null;
  const about = says('attention.about');
  const proposed = resolvePath(PROPOSED, path, found.context);
  const choices: PromptChoice<string | null | undefined>[] = [
    now === null
      ? { label: says('attention.no'), value: undefined }
      : { label: says('attention.asNow', { path: now }), value: undefined },
    ...(now === proposed
      ? []
      : [{ label: says('attention.inside', { name: PROPOSED }), value: PROPOSED, about }]),
    { label: says('attention.other'), value: null, about },
    ...(now === null ? [] : [{ label: says('attention.no'), value: 'none' }]),
  ];
  for (;;) {
    const chosen = await ask.choose(says('attention.show'), choices);
    if (chosen === undefined) return undefined;
    const answer =
      chosen ??
      resolvePath(
        await ask.text(says('attention.path'), {
          wrong: sentence(wrongFolder),
          isFolder: true,
        }),
        path,
        found.context,
      );
    try {
      check(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      say(saysError(error));
    }
  }
}
