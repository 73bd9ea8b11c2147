import type { FolderStatus } from '../../../control/protocol/status.ts';
import type { ListState } from '../../../core/ports/ledgerReports.ts';
import { t } from '../texts.ts';
import { Icon, type IconName } from './Icon.tsx';

type StateLook = readonly [tone: string, icon: IconName];

/** Somebody wanted it: neither a fault nor a warning. */
export const PAUSE_LOOK: StateLook = ['calm', 'pause'];

const LISTED: Readonly<Record<ListState, StateLook>> = {
  queued: ['wait', 'wait'],
  uploading: ['busy', 'up'],
  held: ['warn', 'pause'],
  accepted: ['ok', 'check'],
  duplicate: ['calm', 'copy'],
  split: ['calm', 'copy'],
  rejected: ['calm', 'cross'],
  failed: ['bad', 'alert'],
  unconfirmed: ['warn', 'question'],
  lost: ['bad', 'cross'],
  incomplete: ['warn', 'dash'],
  unreadable: ['warn', 'alert'],
  skipped: ['calm', 'dash'],
};

export const LIST_STATES = Object.keys(LISTED) as readonly ListState[];

/** States missing here or in `texts` are shown under their own name. */
const FOLDERS: Readonly<Partial<Record<FolderStatus['state'], StateLook>>> = {
  watching: ['ok', 'check'],
  starting: ['busy', 'wait'],
  paused: PAUSE_LOOK,
  missing: ['bad', 'alert'],
  unreadable: ['bad', 'alert'],
  notADirectory: ['bad', 'alert'],
  unreachable: ['bad', 'alert'],
  taken: ['bad', 'alert'],
};

/** An icon and a word; colour is never the only indication. */
export function Badge({ look: [tone, icon], text }: { readonly look: StateLook; readonly text: string }) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}

export function StateBadge({ state }: { readonly state: ListState }) {
  return <Badge look={LISTED[state] ?? ['calm', 'dash']} text={t.states[state] ?? state} />;
}

export function FolderBadge({ state }: { readonly state: FolderStatus['state'] }) {
  return (
    <Badge
      look={FOLDERS[state] ?? ['calm', 'dash']}
      text={t.folderStates[state as keyof typeof t.folderStates] ?? state}
    />
  );
}

interface EndpointBadgeProps {
  readonly paused: boolean;
  readonly held: boolean;
  /** Sending is paused for everything. */
  readonly isAllPaused: boolean;
}

export function EndpointBadge({ paused, held, isAllPaused }: EndpointBadgeProps) {
  if (isAllPaused) return <Badge look={PAUSE_LOOK} text={t.endpointStates.allPaused} />;
  if (paused) return <Badge look={PAUSE_LOOK} text={t.endpointStates.paused} />;
  if (held) return <Badge look={['warn', 'wait']} text={t.endpointStates.held} />;
  return <Badge look={['ok', 'check']} text={t.endpointStates.open} />;
}
