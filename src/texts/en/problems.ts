import type { Format } from '../format.ts';

/** Around the words of a problem. */
export function problemsTexts({ counted }: Format) {
  return {
    problems: {
      error: 'error',
      more: (n: number) => `(and ${n} more)`,
      since: (at: string) => `Since ${at}.`,
      until: (at: string) => `Next try: ${at}.`,
      resumed: (at: string) => `It ends by itself: ${at}.`,
      now: 'It is being retried now.',
      whenRunning: 'It is retried when the agent runs.',
      waiting: (n: number) => `${counted(n, 'document waits', 'documents wait')} for this.`,
    },
  };
}
