import type { FleetAgentJson } from '../../../control/protocol/fleet.ts';
import type { HoldJson } from '../../../control/protocol/overview.ts';
import { call } from '../api.ts';
import { moment, number } from '../format.ts';
import type { IconName } from '../parts/Icon.tsx';
import { useCall, useNow } from '../parts/hooks.ts';
import { Answer } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { PauseButton } from '../parts/PauseButton.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { Badge, PAUSE_LOOK } from '../parts/State.tsx';
import { Table, type TableColumn } from '../parts/Table.tsx';
import { t } from '../texts.ts';
import { Why } from '../parts/Explanations.tsx';

/** Polls slowly, because each answer counts the queue in the database. */
const ASKED_EVERY_MS = 10_000;

const LOOKS: Readonly<Record<FleetAgentJson['state'], readonly [tone: string, icon: IconName]>> = {
  running: ['ok', 'check'],
  stopped: ['calm', 'dash'],
  silent: ['bad', 'alert'],
};

/** Shows what `receiptd fleet status` shows, and pauses or resumes agents. */
export function FleetPage() {
  const fleet = useCall('fleet', {}, useNow(ASKED_EVERY_MS));
  return (
    <Page title={t.fleet.title}>
      <Answer asked={fleet}>{({ agents }) => <Agents agents={agents} again={fleet.again} />}</Answer>
    </Page>
  );
}

interface AgentsProps {
  readonly agents: readonly FleetAgentJson[] | null;
  readonly again: () => void;
}

function Agents({ agents, again }: AgentsProps) {
  if (agents === null || agents.length === 0) return <p>{agents === null ? t.fleet.alone : t.fleet.none}</p>;
  const columns: TableColumn<FleetAgentJson>[] = [
    {
      head: t.fleet.name,
      class: 'name',
      cell: ({ name, host }) => (
        <>
          <Wrapped text={name} />
          <p class="muted small">
            <Wrapped text={host} />
          </p>
        </>
      ),
    },
    { head: t.fleet.version, cell: ({ version }) => version },
    { head: t.fleet.state, cell: State },
    { head: t.fleet.lastSeen, cell: ({ lastSeenAt }) => (lastSeenAt ? moment(lastSeenAt) : t.fleet.never) },
    { head: t.fleet.queued, numeric: true, cell: ({ queued }) => number(queued) },
    { head: t.fleet.uploading, numeric: true, cell: ({ uploading }) => number(uploading) },
    { head: t.fleet.leads, cell: ({ leads }) => leads.join(', ') || '–' },
    { head: t.fleet.holds, cell: ({ holds }) => (holds.length === 0 ? '–' : holds.map(inWords)) },
    {
      head: t.actions,
      class: 'row-actions',
      cell: ({ name, paused }) => (
        <PauseButton
          target={name}
          isPaused={paused !== null}
          perform={async () => {
            await call(paused === null ? 'pauseAgent' : 'resumeAgent', { agent: name });
            again();
          }}
        />
      ),
    },
  ];
  return (
    <>
      <p class="muted lead">{t.fleet.means}</p>
      <Table caption={t.fleet.title} columns={columns} rows={agents} rowKey={({ name }) => name} />
    </>
  );
}

function State({ state, paused }: FleetAgentJson) {
  return (
    <>
      <Badge look={LOOKS[state]} text={t.fleet.states[state]} />
      {paused !== null && (
        <>
          {' '}
          <Badge look={PAUSE_LOOK} text={t.fleet.paused} />
          <p class="muted small">{t.fleet.pausedBy(paused.by, moment(paused.since))}</p>
        </>
      )}
    </>
  );
}

function inWords({ scope, key, reason, message, fact, since, until }: HoldJson) {
  return (
    <div key={`${scope} ${key}`} class="small">
      {t.fleet.scopes[scope]} <Wrapped text={key} />: <Why {...{ reason, message, fact }} isShort />{' '}
      <span class="muted">
        ({t.fleet.holdSince(moment(since))}
        {until !== null && `, ${t.fleet.holdUntil(moment(until))}`})
      </span>
    </div>
  );
}
