import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Formats that every browser can show. */
const SHOWN = new Set(['jpeg', 'png', 'webp', 'gif', 'bmp']);
const HASH_DIGITS = 16;
/** Delay before the retry, enough to render a picture for the first time. */
const AGAIN_MS = 5_000;
/** Distance from the viewport at which loading starts. */
const NEAR = '150px';

export const canShow = (type: string): boolean => SHOWN.has(type);
export const imageUrl = (id: number): string => `/v1/documents/${id}/image`;

/** URL of a thumbnail or a page. Includes the hash of the image, so that the browser can cache it. */
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
  /** Additional classes. */
  readonly class?: string;
  /** Load only just before it becomes visible: browsers load `lazy` images several screens ahead. */
  readonly isLate?: boolean;
}

/** A missing picture is requested once more. */
type ThumbState = 'first' | 'waiting' | 'again' | 'none';

/** Decorative, because the name is beside it. */
export function Thumb({ id, sha256, type, class: more = '', isLate = false }: ThumbProps) {
  const [state, setState] = useState<ThumbState>('first');
  const place = useRef<HTMLSpanElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const [isNear, setNear] = useState(!isLate);
  // Cancel loading, which would delay the next list.
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
