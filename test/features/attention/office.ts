import { textsIn } from '../../../src/texts/texts.ts';
import { local } from '../../../src/core/domain/words.ts';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FileSeen } from '../../../src/core/ports/ledgerIntake.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import { AttentionFolders, type AttentionDeps } from '../../../src/features/attention/attention.ts';
import { createAttentionBook, markOf } from '../../../src/intake/folder/attentionBook.ts';
import { createAttentionFolder } from '../../../src/intake/folder/attentionFolder.ts';
import { createFolderGuard } from '../../../src/intake/folder/guarded.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { admission, note, REFUSAL, send } from '../../contract/ledger/support.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { tempDir } from '../../support/tempDir.ts';
import { watched } from '../../intake/folder/fixture.ts';

export const never = new AbortController().signal;

const TOO_DARK = {
  ...REFUSAL,
  transition: { state: 'failed', reason: 'HTTP_422', message: 'Too dark.' },
} as const;

/** A watched folder with a real ledger, and the folder for people. Each `look` does what the agent does at a start. */
export async function office() {
  const dir = tempDir('attention');
  const [inbox, shown] = [join(dir, 'inbox'), join(dir, 'inbox', 'look here')];
  mkdirSync(inbox, { mode: 0o775 });
  const clock = new FakeClock();
  const log = new RecordedLog();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock, checkerPath: '' });
  onTestFinished(() => ledger.close());
  const incidents = new OpenIncidents({ clock, log });
  const guard = createFolderGuard(inbox);
  const folder = watched(inbox, { archiveTo: 'archive', guard });
  const place = createAttentionFolder({
    path: shown,
    like: inbox,
    watched: [inbox],
    mark: markOf(inbox),
    guard,
    random: Math.random,
  });
  const book = createAttentionBook(join(dir, 'attention'));
  const deps: AttentionDeps = {
    folder,
    place,
    book,
    ledger,
    incidents,
    clock,
    log,
    maxFileSize: 1_000,
    texts: textsIn('en', local),
    isInPlace: () => true,
  };
  /** A file of the folder, as the ledger records it. */
  async function seenFile(path: string, content: string): Promise<FileSeen> {
    writeFileSync(join(inbox, path), content);
    const found = await folder.stat(path);
    if (found?.kind !== 'file') throw new Error('no file');
    return { folder: inbox, path, identity: found.identity };
  }
  const reject = async (path: string, content: string, reason = 'NOT_AN_IMAGE'): Promise<void> =>
    ledger.note(await seenFile(path, content), note('rejected', { reason, policy: null, at: clock.now() }));

  const refuse = (id: number): Promise<void> => send(ledger, id, TOO_DARK);
  /** A file whose document the service refused; the id of the document. */
  async function refused(): Promise<number> {
    const file = await seenFile('a', 'refused');
    const { document } = await ledger.admit(admission('a', 'refused', { file }));
    await refuse(document.id);
    return document.id;
  }
  const look = (more: Partial<AttentionDeps> = {}) => new AttentionFolders({ ...deps, ...more }).once(never);
  const names = (): string[] => (existsSync(shown) ? readdirSync(shown).toSorted() : []);
  return {
    dir,
    inbox,
    shown,
    clock,
    log,
    ledger,
    incidents,
    place,
    book,
    deps,
    seenFile,
    reject,
    refuse,
    refused,
    look,
    names,
  };
}
