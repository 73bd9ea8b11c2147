import type { ComponentChildren } from 'preact';
import type { OverviewResponse } from '../../../control/protocol/overview.ts';
import { number } from '../format.ts';
import { rateWords } from '../settings/labels.ts';
import { endpointId, ofEndpoint, ofFolder, tally } from '../tally.ts';
import { t } from '../texts.ts';
import { pauseOfAll } from './PauseAll.tsx';
import { EndpointBadge, FolderBadge } from './State.tsx';
import { Table, type TableColumn } from './Table.tsx';
import { tallyColumns } from './Tally.tsx';
import { Details } from './Explanations.tsx';
import { Wrapped } from './Wrapped.tsx';
import { told } from '../explanations.ts';

type FolderRow = OverviewResponse['status']['folders'][number];
type EndpointStatus = OverviewResponse['endpoints'][number];

interface ShownFolder<R> {
  readonly overview: OverviewResponse;
  /** Shown in a separate last column. */
  readonly actions?: (row: R) => ComponentChildren;
}

export function FolderTable({ overview, actions }: ShownFolder<FolderRow>) {
  const rows = overview.status.folders.map((folder) => ({
    ...folder,
    tally: tally(overview.counts, ofFolder(folder.path)),
    filter: { folder: folder.path },
  }));
  const columns: TableColumn<(typeof rows)[number]>[] = [
    { head: t.folders.path, class: 'name', cell: ({ path }) => <Wrapped text={path} /> },
    {
      head: t.folders.state,
      cell: ({ state, message, fact }) => (
        <>
          <FolderBadge state={state} />
          {message !== null && <Details text={told({ message, fact })} />}
        </>
      ),
    },
    { head: t.folders.endpoint, cell: ({ endpoint }) => endpoint },
    {
      head: t.folders.watched,
      cell: ({ mode, fileSystem, settling }) => (
        <>
          <span>
            {t.folders.mode[mode]}
            {fileSystem !== null && <span class="muted"> · {fileSystem}</span>}
          </span>
          {settling > 0 && <p class="muted small">{t.folders.settling(settling)}</p>}
        </>
      ),
    },
    ...tallyColumns<(typeof rows)[number]>(),
    ...(actions === undefined ? [] : [{ head: t.actions, class: 'row-actions', cell: actions }]),
  ];
  return <Table caption={t.folders.title} columns={columns} rows={rows} rowKey={({ path }) => path} />;
}

export function EndpointTable({ overview, actions }: ShownFolder<EndpointStatus>) {
  const isAllPaused = pauseOfAll(overview) !== undefined;
  const rows = overview.endpoints.map((each) => ({
    ...each,
    held: isHeld(overview, each),
    tally: tally(overview.counts, ofEndpoint(each.endpoint)),
    filter: { endpoint: endpointId(each.endpoint) },
  }));
  const columns: TableColumn<(typeof rows)[number]>[] = [
    {
      head: t.endpoints.alias,
      class: 'name',
      cell: ({ alias, endpoint }) => (
        <>
          {alias}
          <p class="muted small mono">
            <Wrapped text={endpoint.uid} />
          </p>
        </>
      ),
    },
    {
      head: t.endpoints.state,
      cell: ({ paused, held }) => <EndpointBadge {...{ paused, held, isAllPaused }} />,
    },
    { head: t.endpoints.limits, cell: (row) => limits(row) },
    ...tallyColumns<(typeof rows)[number]>(),
    ...(actions === undefined ? [] : [{ head: t.actions, class: 'row-actions', cell: actions }]),
  ];
  return <Table caption={t.endpoints.title} columns={columns} rows={rows} rowKey={({ alias }) => alias} />;
}

function isHeld({ holds }: OverviewResponse, { endpoint, account }: EndpointStatus): boolean {
  const { baseUrl } = endpoint;
  const keys = {
    folder: null,
    endpoint: endpointId(endpoint),
    credentials: account === null ? baseUrl : `${baseUrl} account ${account}`,
    service: baseUrl,
  };
  return holds.some(({ scope, key }) => keys[scope] === key);
}

function limits({ concurrency, rate, perDay, perMonth }: EndpointStatus) {
  const parts = [t.endpoints.atOnce(concurrency)];
  if (rate !== 'unlimited') parts.push(rateWords(rate, 'min'));
  if (perDay !== null) parts.push(t.endpoints.perDay(number(perDay)));
  if (perMonth !== null) parts.push(t.endpoints.perMonth(number(perMonth)));
  return parts.join(' · ');
}
