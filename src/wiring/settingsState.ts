import { isConfigWritable, revisionOf } from '../config/configFile.ts';
import { hidePasswords } from '../config/hidePasswords.ts';
import type { LiveConfig } from '../config/live.ts';
import { readConfigFile, textOf } from '../config/load.ts';
import { mayHoldSecret } from '../config/secrets.ts';
import type { ConfigState } from '../control/protocol/protocol.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { FILE_ONLY } from './consoleKeys.ts';

/** The configuration in effect, compared with the file. */
interface InEffect {
  readonly file: string;
  readonly revision: string;
  /** Why the file last read did not take effect. */
  readonly problem: ReceiptdError | null;
  readonly restartNeeded: readonly string[];
  readonly parse: (text: string) => LiveConfig;
  readonly undoOf: (revision: string) => ConfigState['undo'];
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const JUST_CHANGED = 'It was changed a moment ago and is being read.';

/** Keeps the byte order mark, which has to be written back. @throws ReceiptdError if it is not UTF-8 */
export function textWithMark(bytes: Buffer, file: string): string {
  const text = textOf(bytes, file);
  return bytes.subarray(0, 3).equals(MARK) ? `\uFEFF${text}` : text;
}

/** The file as people see it: without passwords, and with the problem that keeps it from taking effect. */
export async function configState(inEffect: InEffect): Promise<ConfigState> {
  const { file, parse, undoOf } = inEffect;
  const about = { file, writable: await isConfigWritable(file), fileOnly: [...FILE_ONLY] };
  const unparsed = { ...about, values: {}, folderPaths: [], restartNeeded: [...inEffect.restartNeeded] };
  let bytes: Buffer;
  try {
    bytes = await readConfigFile(file);
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    return { ...unparsed, revision: '', text: '', problem: error.sentence(), undo: null };
  }
  const revision = revisionOf(bytes);
  const undo = undoOf(revision);
  try {
    const text = textWithMark(bytes, file);
    const { data, config, restartNeeded } = parse(text);
    const isInEffect = revision === inEffect.revision;
    return {
      ...about,
      revision,
      text: hidePasswords(text),
      values: hidePasswords(data) as ConfigState['values'],
      folderPaths: config.folders.map(({ path }) => path),
      problem: isInEffect ? null : (inEffect.problem?.sentence() ?? JUST_CHANGED),
      undo,
      restartNeeded: [...restartNeeded],
    };
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    const text = bytes.toString();
    // A file that can't be parsed may contain secrets.
    const shown = mayHoldSecret(text) ? '' : hidePasswords(text);
    return { ...unparsed, revision, text: shown, problem: error.sentence(), undo };
  }
}
