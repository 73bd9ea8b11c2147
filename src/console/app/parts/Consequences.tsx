import type { Consequence } from '../../../control/protocol/consequences.ts';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { cureOf, whatIsWrong } from '../../../texts/explain.ts';
import type { Condition } from '../../../core/domain/problem.ts';
import { bytes, moment } from '../format.ts';
import { t } from '../texts.ts';
import { Dialog, type DialogProps } from './Dialog.tsx';
import { Words } from './Words.tsx';

/** The consequence as a sentence for the person who decides. */
function sentenceOf(it: Consequence): string {
  const says = t.consequences;
  switch (it.kind) {
    case 'released':
      return says.released(it.waiting, it.before, it.after);
    case 'spent':
      return says.spent[it.period](it.endpoint ?? t.endpoints.all, it.used, it.limit, it.waiting);
    case 'closed':
      return says.closed(moment(it.until), it.waiting);
    case 'lookedAgain':
      return says.lookedAgain(it.folder, it.files);
    case 'pages':
      if (it.pages === 'split') return says.split(it.folder);
      return it.pdf ? says.whole(it.folder, it.files) : says.wholeWithoutPdf(it.folder, it.files);
    case 'firstWatched':
      return it.files === null ? says.manyWatched(it.folder) : says.firstWatched(it.folder, it.files);
    case 'deletes':
      return says.deletes(it.folder, it.waiting);
    case 'rerouted':
      return says.rerouted(it.folder, it.from, it.to, it.waiting);
    case 'stranded':
      return says.stranded(it.endpoint, it.waiting);
    case 'copiesRemoved':
      return says.copiesRemoved(it.images);
    case 'spoolFull':
      return says.spoolFull(bytes(it.used), bytes(it.limit));
    case 'backupsRemoved':
      return says.backupsRemoved(it.backups, it.kept);
    case 'unprotected':
      return says.unprotected(it.waiting);
    case 'unwritable': {
      // The parameters are those of its code.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const problem = it.problem as unknown as Condition;
      return `${whatIsWrong(t, problem)} ${cureOf(t, problem)}`;
    }
    case 'nobodyAlerted':
      return says.nobodyAlerted;
  }
}

export function Consequences({ consequences }: { readonly consequences: readonly Consequence[] }) {
  if (consequences.length === 0) return null;
  return (
    <ul class="consequences">
      {consequences.map((each, index) => (
        <li key={index}>
          <Words text={sentenceOf(each)} />
        </li>
      ))}
    </ul>
  );
}

/** Originals that the change would archive or delete. */
export type Originals = NonNullable<ConfigState['originals']>[number];

interface ConsequencesDialogProps extends Omit<DialogProps, 'children' | 'danger'> {
  readonly consequences: readonly Consequence[];
  /** Those that would be archived or deleted at once. */
  readonly originals?: Originals | null;
}

export function ConsequencesDialog({ consequences, originals = null, ...dialog }: ConsequencesDialogProps) {
  return (
    <Dialog danger {...dialog}>
      {originals !== null && (
        <p>{t.consequences.originals[originals.afterUpload](originals.folder, originals.files)}</p>
      )}
      <Consequences consequences={consequences} />
    </Dialog>
  );
}
