import { useState } from 'preact/hooks';

/** What every browser shows. */
const SHOWN = new Set(['jpeg', 'png', 'webp', 'gif', 'bmp']);
const LARGEST = 4_000_000;

export const canShow = (type: string | null): boolean => type !== null && SHOWN.has(type);
export const imageUrl = (id: number): string => `/v1/documents/${id}/image`;

interface ThumbProps {
  readonly id: number | null;
  readonly type: string | null;
  readonly size: number;
}

/** Decoration: the name beside it says what it is. */
export function Thumb({ id, type, size }: ThumbProps) {
  const [gone, setGone] = useState(false);
  if (id === null || gone || size > LARGEST || !canShow(type)) {
    return (
      <span class="thumb type" aria-hidden="true">
        {type ?? '–'}
      </span>
    );
  }
  return (
    <img
      class="thumb"
      src={imageUrl(id)}
      alt=""
      width={40}
      height={40}
      loading="lazy"
      decoding="async"
      onError={() => setGone(true)}
    />
  );
}
