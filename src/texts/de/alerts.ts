import type { alertsTexts as english } from '../en/alerts.ts';
import type { Format } from '../format.ts';

export function alertsTexts({ counted, number, duration, time }: Format): ReturnType<typeof english> {
  return {
    alertTexts: {
      resolved: (what) => `Erledigt: ${what}`,
      stillOpen: (what) => `Weiterhin offen: ${what}`,
      several: (n, first) => `${number(n)} Störungen, die erste: ${first}`,
      together: {
        FOLDER_MISSING: (n) => `${number(n)} Ordner sind nicht da.`,
        FOLDER_UNREACHABLE: (n) => `${number(n)} Ordner sind nicht erreichbar.`,
        FOLDER_UNREADABLE: (n) => `${number(n)} Ordner sind nicht lesbar.`,
        FILE_UNREADABLE: (n) => `${number(n)} Ordner enthalten Dateien, die nicht lesbar sind.`,
        PERSON_NEEDED: (n) => `In ${number(n)} Ordnern sind Scans zu klären.`,
      },
      more: (n) => `Und ${number(n)} weitere.`,
      lasted: (since, ms) => `Seit ${time(since)}, Dauer: ${duration(ms)}.`,
      returns: (n) => `Zwischendurch war es ${number(n)}-mal vorbei und kam wieder.`,
      comesAndGoes: (times, withinMs, awayMs) =>
        `Das kommt und geht: ${number(times)}-mal in ${duration(withinMs)}. Es gilt erst als vorbei, wenn es ${duration(awayMs)} lang ausgeblieben ist; bis dahin kommen dazu keine Meldungen mehr.`,
      endedUnreported: (n) =>
        `${counted(n, 'weitere Störung begann und endete', 'weitere Störungen begannen und endeten')} in der Ruhezeit; sie stehen im Protokoll.`,
      seeAlso: '`receiptd alerts` zeigt offene Störungen, `receiptd status` den Stand des Agenten.',
      mail: {
        from: (host) => `receiptd auf ${host}`,
        since: (clock) => `seit ${clock}`,
      },
      test: {
        subject: 'Das ist eine Probe; es ist nichts passiert.',
        text: 'Sie kommt von `receiptd alerts test` oder `receiptd setup`. Hier erfahren Sie, wenn etwas nicht stimmt.',
      },
      digest: {
        subject: (sent, waiting, attention) =>
          `${counted(sent, 'Beleg', 'Belege')} seit gestern gesendet, ${counted(waiting, 'wartet', 'warten')}, ${number(attention)} zu klären`,
        period: (from, to) => `Von ${time(from)} bis ${time(to)}:`,
        columns: {
          folder: 'Ordner',
          sent: 'gesendet',
          duplicates: 'Duplikate',
          rejected: 'nicht gesendet',
          waiting: 'wartet',
          attention: 'zu klären',
        },
        allFolders: 'alle Ordner',
        accepted: (n) =>
          `${counted(n, 'Beleg wurde', 'Belege wurden')} in dieser Zeit vom Dienst angenommen. „wartet“ und „zu klären“ zählen alles, was jetzt offen ist, wie alt es auch sei.`,
        allWell: 'Alles ist in Ordnung.',
        open: 'Weiterhin offen:',
        cure: 'Die Liste zeigt `receiptd list --needs-person`.',
      },
    },
  };
}
