import type { problemsTexts as english } from '../en/problems.ts';
import type { Format } from '../format.ts';

export function problemsTexts({ counted }: Format): ReturnType<typeof english> {
  return {
    problems: {
      error: 'Fehler',
      more: (n) => `(und ${n} ${n === 1 ? 'weiterer' : 'weitere'})`,
      since: (at) => `Seit ${at}.`,
      until: (at) => `Nächster Versuch: ${at}.`,
      resumed: (at) => `Die Pause endet von selbst: ${at}.`,
      now: 'Es wird gerade erneut versucht.',
      whenRunning: 'Es wird erneut versucht, wenn der Agent läuft.',
      waiting: (n) => `${counted(n, 'Beleg wartet', 'Belege warten')} darauf.`,
    },
  };
}
