import type { Format } from '../../textFormat.ts';
import type { endpointsTexts as english } from '../en/endpoints.ts';

export function endpointsTexts({ number }: Format): ReturnType<typeof english> {
  return {
    endpoints: {
      title: 'Endpunkte',
      pageTitle: 'Endpunkte und Grenzen',
      all: 'Alle Endpunkte',
      alias: 'Endpunkt',
      state: 'Zustand',
      limits: 'Grenzen',
      atOnce: (n) => `${number(n)} gleichzeitig`,
      perDay: (n) => `${n} am Tag`,
      perMonth: (n) => `${n} im Monat`,
      create: 'Endpunkt anlegen',
      editTitle: (alias) => `Endpunkt ${alias}`,
      delivery: 'Grenzen für alle Endpunkte zusammen',
      changeLimits: 'Grenzen ändern',
      known: 'Hier bekannte Endpunkte',
      uid: 'Uid',
      service: 'Dienst',
      nameThere: 'Name beim Dienst',
      created: 'Angelegt',
    },
    create: {
      title: 'Endpunkt beim Dienst anlegen',
      means:
        'Der Dienst legt einen neuen Endpunkt an. Seine Uid wird eingetragen und in die Konfiguration geschrieben. Von hier aus lässt er sich nicht wieder entfernen.',
      submit: 'Endpunkt anlegen',
      taken: (alias) => `Es gibt schon einen Endpunkt ${alias}. Wählen Sie einen anderen Namen.`,
      running: 'Wird angelegt …',
      done: (alias, uid) => `${alias} wurde angelegt, mit der Uid ${uid}.`,
      fields: {
        name: { label: 'Name beim Dienst', help: 'Diesen Namen sehen Mitarbeiter des Dienstes.' },
        alias: {
          label: 'Name hier',
          help: 'Buchstaben, Ziffern, - und _; Ordner und Befehle verwenden ihn.',
        },
        language: { label: 'Sprache', help: 'Überwiegende Sprache der Belege, etwa de-DE.' },
        account: { label: 'Konto', help: 'Bei dem er angelegt wird; dessen Zugangsdaten werden verwendet.' },
        outgoingUrl: {
          label: 'Empfänger der Ergebnisse',
          help: 'Adresse, an die der Dienst seine Ergebnisse schickt.',
        },
      },
    },
  };
}
