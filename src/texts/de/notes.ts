import type { Left, NoteTexts } from '../en/notes.ts';
import type { Format } from '../format.ts';

const NAMED = 20;
const DAYS = ['Sonntag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag'];
const CAUSES = {
  refused: 'weil der Dienst darum bat',
  slow: 'weil seine Antworten viel länger dauern als zuvor',
};
const STATES = { running: 'läuft', stopped: 'beendet', silent: 'antwortet nicht' };
const PERIODS = { day: 'dieses Tages', month: 'dieses Monats' };

function leftText({ counted }: Format, { unit, value }: Left): string {
  if (unit === 'minutes') return value <= 1 ? 'eine Minute' : `${value} min`;
  return unit === 'hours' ? `${value} h` : counted(value, 'Tag', 'Tage');
}

export function limitWords(format: Format, p: { readonly rate: string; readonly left: Left }): string {
  return `auf ${p.rate} begrenzt, noch etwa ${leftText(format, p.left)}`;
}

export const noteTexts = (format: Format): NoteTexts => {
  const { number, counted, time } = format;
  return {
    hours: (p) =>
      `Außerhalb der Sendezeiten (\`delivery.hours\`). Gesendet wird wieder ab ${DAYS[p.day]}, ${p.at}.`,
    spent: (p) => {
      const its = `${counted(p.limit, 'Übertragung', 'Übertragungen')} ${PERIODS[p.period]}`;
      const used =
        p.endpoint === null
          ? `Alle Endpunkte zusammen haben ihre ${its} verbraucht (\`delivery.${p.key}\`)`
          : `Der Endpunkt ${p.endpoint} hat seine ${its} verbraucht (\`${p.key}\`)`;
      return `${used}. Gesendet wird wieder ab ${p.until}.`;
    },
    slowed: (p) => {
      const less = [
        ...(p.atOnce < p.configured ? [`${p.atOnce} statt ${p.configured} gleichzeitig`] : []),
        ...(p.seconds === null ? [] : [`Abstand ${p.seconds} s`]),
      ];
      return `An den Endpunkt ${p.endpoint} wird langsamer gesendet (${less.join(', ')}), ${CAUSES[p.cause]}. Das Tempo steigt von selbst wieder.`;
    },
    limited: (p) =>
      `${p.endpoint === null ? 'Das Senden' : `Das Senden an den Endpunkt ${p.endpoint}`} ist auf ${p.rate} begrenzt. Was wartet, braucht noch etwa ${leftText(format, p.left)}.`,
    paused: (p) =>
      `Dieser Agent ist pausiert${p.by === null || p.since === null ? '' : ` (von ${p.by}, seit ${time(p.since)})`}: Er erfasst Scans und sendet nichts. Fortsetzen: \`receiptd fleet resume ${p.agent}\`.`,
    deferred: (p) =>
      `${counted(p.images, 'Bild wurde', 'Bilder wurden')} zurückgestellt, während das Eingangsbuch nicht erreichbar war. Benannt und gesendet wird, sobald es wieder da ist.`,
    restart: (p) => `Änderungen in ${p.file}, die einen Neustart brauchen: ${p.keys.join(', ')}.`,
    unmatched: (p) =>
      `${counted(p.results, 'Ergebnis', 'Ergebnisse')} des Dienstes ${p.results === 1 ? 'gehört' : 'gehören'} zu keinem bekannten Beleg (\`receiptd results list --unmatched\`).`,
    fleet: (p) => {
      const named = p.agents.map((each) => {
        const its = [
          STATES[each.state],
          ...(each.paused ? ['pausiert'] : []),
          ...(each.queued > 0 ? [counted(each.queued, 'wartet', 'warten')] : []),
          ...(each.uploading > 0 ? [`${number(each.uploading)} unterwegs`] : []),
        ];
        return `${each.name} (${its.join(', ')})`;
      });
      const more = p.agents.length > NAMED ? ' und andere' : '';
      return `${counted(p.agents.length, 'Agent nutzt', 'Agenten nutzen')} dieses Eingangsbuch: ${named.slice(0, NAMED).join(', ')}${more}.`;
    },
    ledgerAway:
      'Bis das Eingangsbuch wieder erreichbar ist, sind sein Inhalt und die Zahl der wartenden Belege unbekannt.',
  };
};
