import { useEffect, useState } from 'preact/hooks';
import type { OverviewResponse } from '../../control/protocol/overview.ts';
import { call, onSignedOut } from './api.ts';

/*
 * The event stream of the daemon, shared by all pages.
 *
 *   connecting ──▶ live ──▶ lost ──▶ connecting (after a pause that grows) ──▶ ...
 *                    any ──▶ signedOut  (an answer said so; ends until `connect` is called again)
 */
export type LiveConnection = 'connecting' | 'live' | 'lost' | 'signedOut';

export interface LogLine {
  /** Sequence number, for keys. */
  readonly id: number;
  readonly at: string;
  readonly level: string;
  readonly event: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly raw: string;
}

export interface Live {
  readonly connection: LiveConnection;
  /** When the connection was lost. */
  readonly lostAt: number | null;
  readonly overview: OverviewResponse | null;
  readonly log: readonly LogLine[];
}

const LOG_KEPT = 2000;
const FIRST_PAUSE_MS = 500;
const ANSWER_MS = 10_000;
/** Three heartbeats of the daemon; without them, the connection is dead although the browser has not noticed. */
const SILENCE_MS = 45_000;
const LONGEST_PAUSE_MS = 10_000;

let state: Live = { connection: 'connecting', lostAt: null, overview: null, log: [] };
const listeners = new Set<() => void>();
let source: EventSource | null = null;
let timer: number | undefined;
let silence: number | undefined;
let pause = FIRST_PAUSE_MS;
let nextId = 0;
/** Lines shown before a reconnect, to skip repeats: the daemon sends its last 200 lines again. */
let told = new Set<string>();

function change(next: Partial<Live>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

function connect(): void {
  disconnect();
  // An empty page shows "connecting"; one with content keeps showing since when the connection is lost.
  if (state.connection !== 'lost') change({ connection: 'connecting' });
  told = new Set(state.log.map(({ raw }) => raw));
  source = new EventSource('/v1/events');
  source.addEventListener('open', () => {
    pause = FIRST_PAUSE_MS;
    heard();
    change({ connection: 'live', lostAt: null });
  });
  source.addEventListener('overview', ({ data }: MessageEvent<string>) => {
    heard();
    change({ overview: JSON.parse(data) as OverviewResponse });
  });
  source.addEventListener('log', ({ data }: MessageEvent<string>) => {
    heard();
    receive(data);
  });
  source.addEventListener('alive', heard);
  source.addEventListener('error', () => lost());
}

function disconnect(): void {
  source?.close();
  source = null;
  clearTimeout(timer);
  clearTimeout(silence);
}

function heard(): void {
  clearTimeout(silence);
  silence = setTimeout(lost, SILENCE_MS);
}

/** Reconnects by hand, because EventSource gives up at the first answer that is not a stream. */
function lost(): void {
  disconnect();
  change({ connection: 'lost', lostAt: state.lostAt ?? Date.now() });
  timer = setTimeout(() => void retry(), pause);
  pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
}

/** Calls an operation, because EventSource does not report why it was refused. */
async function retry(): Promise<void> {
  try {
    change({ overview: await call('overview', {}, AbortSignal.timeout(ANSWER_MS)) });
  } catch {
    if (state.connection !== 'signedOut') lost();
    return;
  }
  connect();
}

/*
 * A browser opens at most six connections per host, and a stream occupies one: hidden tabs would block the others.
 * Only the log stays connected, because readers return to it.
 */
document.addEventListener('visibilitychange', () => {
  if (state.connection === 'signedOut') return;
  if (document.hidden && !location.hash.startsWith('#/log')) disconnect();
  else if (!document.hidden && source === null) reconnectNow();
});

onSignedOut(() => {
  disconnect();
  change({ connection: 'signedOut', lostAt: null });
});

export function reconnectNow(): void {
  pause = FIRST_PAUSE_MS;
  clearTimeout(timer);
  void retry();
}

export function forget(): void {
  disconnect();
  change({ connection: 'signedOut', lostAt: null, overview: null, log: [] });
}

let waitingLines: LogLine[] = [];

/** Collects lines, which come in bursts, and draws the page once per burst. */
function receive(raw: string): void {
  if (told.has(raw)) return;
  const { timestamp, level, event, message, ...fields } = JSON.parse(raw) as Record<string, unknown>;
  waitingLines.push({
    id: nextId++,
    at: String(timestamp),
    level: String(level),
    event: String(event),
    message: String(message),
    fields,
    raw,
  });
  if (waitingLines.length > 1) return;
  setTimeout(() => {
    const log = [...state.log, ...waitingLines].slice(-LOG_KEPT);
    waitingLines = [];
    change({ log });
  }, 50);
}

/** Rerenders only when that part has changed. */
export function useLivePart<T>(part: (live: Live) => T): T {
  const [value, setValue] = useState(() => part(state));
  useEffect(() => {
    const changed = () => setValue(() => part(state));
    changed();
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return value;
}

export function useOverview(): OverviewResponse | null {
  return useLivePart(({ overview }) => overview);
}
