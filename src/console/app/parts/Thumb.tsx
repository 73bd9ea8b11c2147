import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** What every browser shows. */
const SHOWN = new Set(['jpeg', 'png', 'webp', 'gif', 'bmp']);
const HASH_DIGITS = 16;
/** One that is drawn for the first time may take so long. */
const AGAIN_MS = 5_000;
/** Below the screen. */
const NEAR = '150px';

export const canShow = (type: string): boolean => SHOWN.has(type);
export const imageUrl = (id: number): string => `/v1/documents/${id}/image`;

/** A small picture, or a larger one of a page: kept by the browser, since the address names the image. */
export function pictureUrl(id: number, sha256: string, page: number | 'thumbnail'): string {
  const of = `of=${sha256.slice(0, HASH_DIGITS)}`;
  return page === 'thumbnail'
    ? `/v1/documents/${id}/thumbnail?${of}`
    : `/v1/documents/${id}/preview?page=${page}&${of}`;
}

interface ThumbProps {
  readonly id: number | null;
  readonly sha256: string | null;
  readonly type: string | null;
  /** Beside those that it has. */
  readonly class?: string;
  /** Loaded only when it is about to be seen: browsers load `lazy` images from some screens away. */
  readonly isLate?: boolean;
}

/** It is asked for once more where there is none. */
type State = 'first' | 'waiting' | 'again' | 'none';

/** Decoration: the name beside it says what it is. */
export function Thumb({ id, sha256, type, class: more = '', isLate = false }: ThumbProps) {
  const [state, setState] = useState<State>('first');
  const place = useRef<HTMLSpanElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const [isNear, setNear] = useState(!isLate);
  // What is still loading would keep the next list waiting.
  useLayoutEffect(() => () => image.current?.removeAttribute('src'), []);
  useEffect(() => {
    const element = place.current;
    if (isNear || element === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: NEAR },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isNear]);
  useEffect(() => {
    if (state !== 'waiting') return;
    const timer = setTimeout(() => setState('again'), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  if (!isNear || id === null || sha256 === null || state === 'waiting' || state === 'none') {
    return (
      <span ref={place} class={`thumb type ${more}`} aria-hidden="true">
        {isNear ? (type ?? '–') : ''}
      </span>
    );
  }
  return (
    <img
      ref={image}
      class={`thumb ${more}`}
      src={pictureUrl(id, sha256, 'thumbnail')}
      alt=""
      width={40}
      height={40}
      loading="lazy"
      decoding="async"
      onError={() => setState(state === 'first' ? 'waiting' : 'none')}
    />
  );
}
