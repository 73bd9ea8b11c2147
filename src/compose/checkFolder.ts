import { access, constants, readdir, stat } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { ReceiptdError, systemCode } from '../domain/errors.ts';

export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly message: string;
}

/** What would keep the agent from watching this folder, found by trying. */
export async function checkFolder(folder: Config['folders'][number]): Promise<Finding[]> {
  const { path: subject } = folder;
  const say = (level: Finding['level'], message: string): Finding => ({ level, subject, message });
  try {
    if (!(await stat(subject)).isDirectory()) {
      return [
        fail(
          subject,
          'FOLDER_NOT_A_DIRECTORY',
          'It is not a folder.',
          'Name the folder that holds the scans.',
        ),
      ];
    }
    const entries = await readdir(subject, { withFileTypes: true });
    await access(subject, constants.R_OK | constants.X_OK);
    const findings = [
      say('ok', `It can be read; ${entries.filter((entry) => entry.isFile()).length} files lie in it.`),
    ];
    const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).length;
    if (below > 0 && !folder.recursive) {
      findings.push(
        say('warn', `${below} folders in it are not watched; set \`recursive: true\` to watch them.`),
      );
    }
    const links = entries.filter((entry) => entry.isSymbolicLink()).length;
    if (links > 0) findings.push(say('warn', `${links} symbolic links in it are not followed.`));
    if (folder.afterUpload !== 'keep') findings.push(await checkWritable(folder));
    return findings;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT')
      return [say('warn', 'It does not exist now; the agent waits for it. [FOLDER_MISSING]')];
    const hint = 'Let the user that runs receiptd read and enter it.';
    return [fail(subject, 'FOLDER_UNREADABLE', `It can't be read (${code ?? String(error)}).`, hint)];
  }
}

async function checkWritable({ path, afterUpload }: Config['folders'][number]): Promise<Finding> {
  try {
    await access(path, constants.W_OK);
    return {
      level: 'ok',
      subject: path,
      message: `Originals can be moved out of it (\`afterUpload: ${afterUpload}\`).`,
    };
  } catch {
    const hint = 'Let the user that runs receiptd write to it.';
    return fail(
      path,
      'FOLDER_UNWRITABLE',
      `Originals can't be moved out of it (\`afterUpload: ${afterUpload}\`).`,
      hint,
    );
  }
}

function fail(
  subject: string,
  code: 'FOLDER_NOT_A_DIRECTORY' | 'FOLDER_UNREADABLE' | 'FOLDER_UNWRITABLE',
  message: string,
  hint: string,
): Finding {
  return { level: 'fail', subject, message: new ReceiptdError(code, message, { hint }).sentence() };
}
