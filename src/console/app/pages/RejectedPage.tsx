import { useId, useState } from 'preact/hooks';
import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { LISTS } from '../../../texts/columns.ts';
import { useOverview } from '../live.ts';
import { Button } from '../parts/Button.tsx';
import { useAct, useAsk, useCountsTick } from '../parts/hooks.ts';
import { announce, Failure, Loading } from '../parts/Notice.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { Table, type TableColumn } from '../parts/Table.tsx';
import { Details } from '../parts/Explanations.tsx';
import { href } from '../router.ts';
import { t } from '../texts.ts';
import { keyOf } from './documentFilter.ts';
import { FolderRemedy } from './FolderRemedy.tsx';
import { actOn, type ManyDone } from './manyActs.ts';
import { groupsOf, unsentFiles, type Group } from './rejectedGroups.ts';
import { Dismissed } from './SelectionBar.tsx';
import { fieldColumn, heads } from './rowParts.tsx';
import { told } from '../explanations.ts';

const REFRESH_MS = 3_000;

const COLUMNS = LISTS.unsent.map<TableColumn<ListRowJson>>((key) => {
  if (key === 'path') return { head: heads.path, class: 'name', cell: ({ path }) => <Wrapped text={path} /> };
  if (key !== 'why') return fieldColumn(key);
  return {
    head: heads.why,
    cell: ({ message, fact }) => message !== null && <Details text={told({ message, fact })} />,
  };
});

/** Files that may be receipts but were not sent, grouped by remedy. */
export function RejectedPage() {
  const counts = useCountsTick(REFRESH_MS);
  const { data, error, again } = useAsk(unsentFiles, '', counts);
  const folders = useOverview()?.status.folders.map(({ path }) => path) ?? [];
  const [undoable, setUndoable] = useState<ManyDone | null>(null);
  const act = useAct();
  const undone = () => {
    setUndoable(null);
    again();
  };
  const dismissed = (done: ManyDone) => {
    announce(t.done.dismissed(done.count));
    setUndoable(done);
    again();
  };
  return (
    <Page title={t.rejected.title} back={{ href: href(['documents']), text: t.documents.title }}>
      <Failure error={error} again={again} />
      <Failure error={act.error} />
      <Dismissed done={undoable} act={act} onUndone={undone} />
      {data === null && error === null && <Loading />}
      {data?.rows.length === 0 && <p class="muted">{t.rejected.none}</p>}
      {data?.isAll === false && <p class="muted">{t.rejected.first(data.rows.length)}</p>}
      {groupsOf(data?.rows ?? [], folders).map((group) => (
        <Files key={group.key} group={group} onDone={again} onDismissed={dismissed} />
      ))}
    </Page>
  );
}

const UNSENT: Readonly<Partial<Record<string, { what: string; cure: string }>>> = t.unsent;

function helpOf({ reason, rows }: Group): string {
  return (UNSENT[reason] ?? UNSENT[rows[0]?.state ?? ''])?.cure ?? '';
}

function Files({
  group,
  onDone,
  onDismissed,
}: {
  readonly group: Group;
  readonly onDone: () => void;
  readonly onDismissed: (done: ManyDone) => void;
}) {
  const { folder, reason, rows } = group;
  const id = useId();
  const act = useAct();
  const dismiss = async () => onDismissed(await actOn('dismiss', { kind: 'rows', rows }));
  const why = UNSENT[reason]?.what ?? reason;
  return (
    <Section
      title={t.rejected.group(why, rows.length)}
      about={folder}
      id={id}
      actions={
        <>
          <FolderRemedy group={group} onDone={onDone} />
          <Button disabled={act.busy} onClick={() => void act.run(dismiss)}>
            {t.many.acts.dismiss(rows.length)}
          </Button>
        </>
      }
    >
      <p class="muted">{helpOf(group)}</p>
      <Failure error={act.error} />
      <Table caption={`${why}: ${folder}`} columns={COLUMNS} rows={rows} rowKey={keyOf} />
    </Section>
  );
}
