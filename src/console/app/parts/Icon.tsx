/** SVG paths on a 16 by 16 grid, inline so that nothing has to be fetched. */
const PATHS = {
  check: 'M3 8.5l3.2 3.2L13 5',
  alert: 'M8 2.2l6.3 11.3H1.7zM8 6.5v3.3M8 11.6v.1',
  info: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3v3.8M8 5v.1',
  wait: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 4.8V8l2.2 1.6',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  up: 'M8 13V3.5M4 7.2L8 3.2l4 4',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  cross: 'M4 4l8 8M12 4l-8 8',
  dash: 'M3.5 8h9',
  more: 'M3 8.5a.5.5 0 100-1 .5.5 0 000 1zM8 8.5a.5.5 0 100-1 .5.5 0 000 1zM13 8.5a.5.5 0 100-1 .5.5 0 000 1z',
  question: 'M5.7 6a2.3 2.3 0 114 1.5C8.8 8.2 8 8.7 8 9.7M8 12.3v.1',
  theme: 'M8 2.5a5.5 5.5 0 100 11zM8 2.5a5.5 5.5 0 010 11',
  sun: 'M8 10.8a2.8 2.8 0 100-5.6 2.8 2.8 0 000 5.6zM8 1.3v1.4M8 13.3v1.4M1.3 8h1.4M13.3 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1',
  moon: 'M13 9.6A5.5 5.5 0 016.4 3a5.5 5.5 0 106.6 6.6z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
