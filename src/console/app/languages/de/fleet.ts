import type { fleetTexts as english } from '../en/fleet.ts';

export function fleetTexts(): ReturnType<typeof english> {
  return {
    fleet: {
      title: 'Verbund',
      means:
        'Die Agenten, die sich das Eingangsbuch teilen. Ein pausierter Agent erfasst Scans und sendet nichts; was andere senden können, senden sie.',
      alone: 'Dieser Agent teilt sein Eingangsbuch mit keinem anderen. Wie es ihm geht, zeigt die Übersicht.',
      none: 'Noch kein Agent hat dieses Eingangsbuch benutzt.',
      name: 'Agent',
      version: 'Version',
      state: 'Zustand',
      states: { running: 'läuft', stopped: 'beendet', silent: 'meldet sich nicht' },
      paused: 'pausiert',
      pausedBy: (by, since) => `von ${by}, seit ${since}`,
      lastSeen: 'Zuletzt gesehen',
      never: 'nie',
      queued: 'Wartet',
      uploading: 'Wird gesendet',
      leads: 'Zuständig für',
      holds: 'Sperren',
      scopes: { service: 'Dienst', credentials: 'Zugangsdaten', endpoint: 'Endpunkt', folder: 'Ordner' },
      holdSince: (at) => `seit ${at}`,
      holdUntil: (at) => `nächster Versuch um ${at}`,
    },
  };
}
