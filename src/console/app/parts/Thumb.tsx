import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Formats that every browser can show. */
const SHOWN = new Set(['jpeg', 'png', 'webp', 'gif', 'bmp']);
const HASH_DIGITS = 16;
/** Delays before each retry: enough to render a picture for the first time, and to outlast a busy moment of the machine. */
const AGAIN_MS = [5_000, 15_000, 45_000];
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

/** Decorative, because the name is beside it. */
export function Thumb({ id, sha256, type, class: more = '', isLate = false }: ThumbProps) {
  const [failures, setFailures] = useState(0);
  const [isMissing, setMissing] = useState(false);
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
    const delay = isMissing ? AGAIN_MS[failures - 1] : undefined;
    if (delay === undefined) return;
    const timer = setTimeout(() => setMissing(false), delay);
    return () => clearTimeout(timer);
  }, [isMissing, failures]);
  if (!isNear || id === null || sha256 === null || isMissing) {
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
      onError={() => {
        setFailures(failures + 1);
        setMissing(true);
      }}
    />
  );
}
