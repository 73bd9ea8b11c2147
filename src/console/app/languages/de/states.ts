import type { statesTexts as english } from '../en/states.ts';

export function statesTexts(): ReturnType<typeof english> {
  return {
    states: {
      queued: 'wartet',
      uploading: 'wird gesendet',
      held: 'zurückgehalten',
      accepted: 'gesendet',
      duplicate: 'Duplikat',
      split: 'in Seiten zerlegt',
      rejected: 'nicht gesendet',
      failed: 'abgelehnt',
      unconfirmed: 'unbestätigt',
      lost: 'verloren',
      incomplete: 'unvollständig',
      unreadable: 'nicht lesbar',
      skipped: 'übersprungen',
    },
    folderStates: {
      watching: 'überwacht',
      missing: 'fehlt',
      unreadable: 'nicht lesbar',
      notADirectory: 'kein Ordner',
      unreachable: 'nicht erreichbar',
      taken: 'anderer Agent',
      starting: 'startet',
      paused: 'pausiert',
    },
    endpointStates: { open: 'offen', allPaused: 'alles pausiert', paused: 'pausiert', held: 'wartet' },
    tally: { accepted: 'Gesendet', waiting: 'Wartet', person: 'Zu klären', other: 'Ausgelassen' },
  };
}
