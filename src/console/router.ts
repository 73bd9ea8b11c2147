import { useEffect, useState } from 'preact/hooks';

/** Where the person is: everything behind `#`, so that the daemon serves one page. */
export interface Place {
  /** Parts of the path, decoded: `#/documents/7` is ['documents', '7']. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export function placeOf(hash: string): Place {
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

/** Empty values are left out. */
export function href(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value) params.set(key, value);
  const text = params.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function go(to: string): void {
  location.hash = to;
}

/** As `go`, without a step to go back to: for filters while they are typed. */
export function replace(to: string): void {
  history.replaceState(null, '', to);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return placeOf(hash);
}
