import { useEffect, useState } from 'preact/hooks';

/** The current location. Everything is in the hash, so that the daemon serves a single page. */
export interface Route {
  /** Parts of the path, decoded: `#/documents/7` is ['documents', '7']. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  return { path: parts.map(decode), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Builds a link; omits empty values. */
export function href(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value) params.set(key, value);
  const text = params.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/*
 * The shown entry of the tab's history. Entries are numbered, so that leaving a page with unsaved input can be reverted,
 * whether it was a link or the browser's buttons.
 */
let shown = { hash: location.hash, index: numberOf(history.state) ?? 0 };
history.replaceState({ index: shown.index }, '');
/** Target of a saved form, which needs no confirmation. */
let allowed: string | null = null;
let ask: ((leave: () => void) => void) | null = null;
const listeners = new Set<() => void>();

function numberOf(state: unknown): number | null {
  const { index } = (state ?? {}) as { index?: unknown };
  return typeof index === 'number' ? index : null;
}

addEventListener('hashchange', () => {
  const to = location.hash;
  const its = numberOf(history.state);
  if (to === shown.hash) return;
  if (ask === null || to === allowed) {
    allowed = null;
    shown = { hash: to, index: its ?? shown.index + 1 };
    history.replaceState({ index: shown.index }, '');
    for (const listener of listeners) listener();
    return;
  }
  const steps = its === null ? 1 : its - shown.index;
  history.go(-steps);
  ask(() => {
    allowed = to;
    if (its === null) location.hash = to;
    else history.go(steps);
  });
});

/** Lets `asks` decide whether to leave the page; null removes the guard. */
export function guardLeaving(asks: ((leave: () => void) => void) | null): void {
  ask = asks;
}

export function go(to: string): void {
  allowed = to;
  location.hash = to;
}

/** Like `go`, without a history entry: for filters while they are typed. */
export function replace(to: string): void {
  history.replaceState(history.state, '', to);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute(): Route {
  const [hash, setHash] = useState(shown.hash);
  useEffect(() => {
    const changed = () => setHash(shown.hash);
    changed();
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return routeOf(hash);
}
