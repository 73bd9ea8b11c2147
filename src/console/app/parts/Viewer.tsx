import { useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../shortcuts.ts';
import { t } from '../texts.ts';
import { Button } from './Button.tsx';
import { useSize } from './hooks.ts';

interface ViewerProps {
  readonly src: string;
  readonly alt: string;
  readonly onError?: () => void;
}

type ImageFit = 'page' | 'width';

const STEP = 1.4;
const MOST = 8;

/** An image that can be rotated, zoomed and moved. At first it fits the frame. */
export function Viewer({ src, alt, onError = () => {} }: ViewerProps) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const [natural, setNatural] = useState({ width: 0, height: 0 });
  const [fit, setFit] = useState<ImageFit>('page');
  const [zoom, setZoom] = useState(1);
  const [turns, setTurns] = useState(0);
  const enlarge = (factor: number) => setZoom((now) => Math.min(MOST, Math.max(1, now * factor)));
  const fitTo = (wanted: ImageFit) => {
    setFit(wanted);
    setZoom(1);
  };
  const turn = () => setTurns((now) => (now + 1) % 4);
  useShortcuts({
    '+': () => enlarge(STEP),
    '-': () => enlarge(1 / STEP),
    '0': () => fitTo('page'),
    w: () => fitTo('width'),
    r: turn,
  });
  const look = layout(natural, size, { fit, zoom, turns });
  return (
    <div class="viewer">
      <div
        ref={box}
        class="viewer-box"
        tabIndex={0}
        role="region"
        aria-label={alt}
        onKeyDown={(event) => {
          // While zoomed, arrow keys move the image.
          if (zoom > 1 && event.key.startsWith('Arrow')) event.stopPropagation();
        }}
        onDblClick={() => (zoom > 1 ? fitTo('page') : enlarge(STEP ** 3))}
      >
        <div style={look.frame}>
          <img
            src={src}
            alt={alt}
            decoding="async"
            style={look.image}
            onError={onError}
            onLoad={({ currentTarget }) =>
              setNatural({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
            }
          />
        </div>
      </div>
      <div class="viewer-tools" role="group" aria-label={t.viewer.title}>
        <Button
          aria-label={t.viewer.smaller}
          title={t.viewer.smaller}
          disabled={zoom <= 1}
          onClick={() => enlarge(1 / STEP)}
        >
          −
        </Button>
        <Button
          aria-label={t.viewer.larger}
          title={t.viewer.larger}
          disabled={zoom >= MOST}
          onClick={() => enlarge(STEP)}
        >
          +
        </Button>
        {(['page', 'width'] as const).map((each) => (
          <Button key={each} aria-pressed={fit === each && zoom === 1} onClick={() => fitTo(each)}>
            {t.viewer.fit[each]}
          </Button>
        ))}
        <Button onClick={turn}>{t.viewer.turn}</Button>
      </div>
    </div>
  );
}

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Rotation does not change an image's width and height, so the frame takes on the visible ones. */
function layout(
  { width, height }: ImageSize,
  box: ImageSize,
  { fit, zoom, turns }: { readonly fit: ImageFit; readonly zoom: number; readonly turns: number },
) {
  if (width === 0 || box.width === 0) return { frame: {}, image: { visibility: 'hidden' } };
  const isOnSide = turns % 2 === 1;
  const [seenWidth, seenHeight] = isOnSide ? [height, width] : [width, height];
  const toWidth = box.width / seenWidth;
  const scale = (fit === 'width' ? toWidth : Math.min(toWidth, box.height / seenHeight)) * zoom;
  const pixels = (value: number) => `${Math.floor(value * scale)}px`;
  return {
    frame: { position: 'relative', width: pixels(seenWidth), height: pixels(seenHeight), margin: 'auto' },
    image: {
      position: 'absolute',
      left: '50%',
      top: '50%',
      width: pixels(width),
      height: pixels(height),
      transform: `translate(-50%, -50%) rotate(${turns * 90}deg)`,
    },
  };
}
