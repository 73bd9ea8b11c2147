import type { auditHelp as englishHelp, auditTexts as english } from '../../en/cli/audit.ts';
import type { Format } from '../../format.ts';

export const auditHelp: typeof englishHelp = {
  audit: {
    about: 'nachweisen, was aus jeder Datei wurde, und das Eingangsbuch mit den Ordnern vergleichen',
    day: 'nur Dateien zählen, die an diesem Tag eingingen (JJJJ-MM-TT, Ortszeit)',
    folder: 'nur dieser Ordner',
    wait: 'wie lange gewartet wird, bis ein laufender Agent eine neue Datei aufnimmt',
    json: 'als JSON (die Felder stehen in docs/commands.md)',
    statuses:
      '3 Dateien sind nicht nachgewiesen, oder Zahlen widersprechen sich; 4 ein Ordner oder ein Teil davon war nicht lesbar',
  },
};

export function auditTexts({ counted, number, plural, time }: Format): ReturnType<typeof english> {
  return {
    audit: {
      title: (at) => `Bisher eingegangene Dateien, und was aus ihnen wurde (${time(at)})`,
      titleOfDay: (day, at) => `Am ${day} eingegangene Dateien, und was aus ihnen wurde (${time(at)})`,
      total: (folders) => `Summe von ${counted(folders, 'Ordner', 'Ordnern')}`,
      unaccounted: 'Nicht nachgewiesen:',
      unchecked: 'Nicht zu prüfen:',
      makeReadable: 'Sorgen Sie für Leserechte, und versuchen Sie es noch einmal.',
      unreachable: (folder) => `${folder} ist nicht erreichbar.`,
      noJournal: 'Das Eingangsbuch hat noch kein Journal.',
      journal: (p) => `Journal des Eingangsbuchs ${p.ledger}: Eintrag ${number(p.seq)}, Hash ${p.hash}`,
      rows: {
        accepted: 'angenommen',
        duplicate: 'Duplikat',
        split: 'zerlegt',
        rejected: 'nicht gesendet',
        failed: 'abgelehnt',
        waiting: 'wartet',
        lost: 'verloren',
        skipped: 'übersprungen',
        seen: 'insgesamt',
      },
      meanings: {
        accepted: 'vom Dienst angenommen',
        duplicate: 'Byte für Byte gleich mit einem anderen Bild; nicht noch einmal gesendet',
        split: 'in Seiten zerlegt, die hier je als Datei zählen',
        rejected: 'nicht gesendet; warum, zeigt `receiptd list --state rejected`',
        failed:
          'vom Dienst abgelehnt oder an einen anderen Endpunkt verschoben; welches, zeigt `receiptd list --state failed`',
        lost: 'vor dem Senden verloren; scannen Sie sie noch einmal',
        skipped:
          'schon im Ordner, als er zum ersten Mal überwacht oder von einem anderen Agenten übernommen wurde; nicht gesendet',
        seen: 'die Summe aller Zeilen',
      },
      waiting: {
        queued: 'zu senden',
        uploading: 'gerade in Übertragung',
        held: 'zurückgehalten',
        unconfirmed: 'ohne eindeutige Antwort des Dienstes; das muss jemand dort nachsehen',
        incomplete: 'unvollständig',
        unreadable: 'nicht zu öffnen',
      },
      former:
        'Kein überwachter Ordner (ein früherer, oder Dateien von `receiptd send`): gezählt nach dem Eingangsbuch, nicht mit dem Ordner verglichen.',
      unreadable: 'Der Ordner ist gerade nicht lesbar.',
      empty: 'Der Ordner ist jetzt leer.',
      allKnown: (n) =>
        `Im Ordner ${plural(n, 'liegt', 'liegen')} jetzt ${counted(n, 'Datei', 'Dateien')}; das Eingangsbuch hat ${plural(n, 'sie', 'alle')}, unverändert.`,
      someKnown: (n, known) =>
        `Im Ordner ${plural(n, 'liegt', 'liegen')} jetzt ${counted(n, 'Datei', 'Dateien')}; das Eingangsbuch hat ${number(known)} davon, unverändert.`,
      left: 'Dateien, die den Ordner seither verlassen haben (archiviert, gelöscht, verschoben), zählen mit.',
      excluded: (n) =>
        `${counted(n, 'Datei im Eingangsbuch wird', 'Dateien im Eingangsbuch werden')} nicht geprüft: \`include\`, \`ignore\` oder \`recursive\` ${plural(n, 'schließt sie jetzt aus', 'schließen sie jetzt aus')}.`,
      links: (n) =>
        `${counted(n, 'symbolischem Link', 'symbolischen Links')} im Ordner wird nicht gefolgt: ${plural(n, 'Die Datei dahinter wird', 'Die Dateien dahinter werden')} weder gesendet noch gezählt.`,
      differences: 'Zwei Zählweisen ergaben verschiedene Zahlen:',
      unsettled:
        'Das Eingangsbuch änderte sich ständig und ließ sich nicht zweimal zählen. Versuchen Sie es später noch einmal.',
      recounted: (names) =>
        `Das ganze Eingangsbuch, nach ${counted(names, 'Namen', 'Namen')} statt nach Dateien gezählt, ergibt dieselben Zahlen.`,
      sentElsewhere: (n) => `${number(n)} davon wurden mit Absicht auch an einen zweiten Endpunkt gesendet.`,
      folders: (n) => counted(n, 'Ordner', 'Ordnern'),
      onDay: (where, day) => `${where} am ${day}`,
      noneSeen: (where) => `In ${where} ist keine Datei eingegangen; es fehlt also nichts.`,
      allAccounted: (n, where) =>
        `${n === 1 ? 'Die 1 Datei' : `Alle ${number(n)} Dateien`} in ${where} ${plural(n, 'ist', 'sind')} nachgewiesen.`,
      person: (n) =>
        `${number(n)} davon ${plural(n, 'ist', 'sind')} zu klären: \`receiptd list --state failed unconfirmed lost\`.`,
      changed:
        'Bisher fehlt keine Datei, aber das beweist nichts: Das Eingangsbuch änderte sich beim Zählen.',
      hidden: (places) =>
        `Bisher fehlt keine Datei, aber das beweist nichts: ${counted(places, 'Stelle', 'Stellen')} ${plural(places, 'war', 'waren')} nicht zu prüfen.`,
      contradicts: (places) =>
        `Das Eingangsbuch widerspricht sich an ${counted(places, 'Stelle', 'Stellen')}. Heben Sie eine Kopie des Zustandsverzeichnisses auf, und führen Sie dann \`receiptd ledger verify\` aus.`,
      notAccounted: (n, where) =>
        `${counted(n, 'Datei', 'Dateien')} in ${where} ${plural(n, 'ist NICHT nachgewiesen; sie steht', 'sind NICHT nachgewiesen; sie stehen')} oben.`,
      problem: {
        unknown: 'Die Datei liegt im Ordner, steht aber nicht im Eingangsbuch.',
        changed: (state) =>
          `Die Datei weicht vom Eingangsbuch ab (${state}): Sie wurde geändert oder ersetzt.`,
        missing: (state) => `Das Eingangsbuch hat die Datei (${state}), aber sie liegt nicht mehr im Ordner.`,
        named: (state, name) => `${state}, als „${name}“`,
      },
      advice: {
        settles:
          'Vielleicht ist sie noch nicht vollständig, oder der Agent hat keinen Platz (siehe `receiptd status`). Versuchen Sie es in einigen Minuten noch einmal.',
        start: 'Starten Sie den Agenten (`receiptd run`): Er nimmt die Datei auf.',
        relist:
          'Nichts ist verloren. Versuchen Sie es in einigen Minuten noch einmal, sobald der Ordner wieder durchgesehen ist.',
        startGone:
          'Nichts ist verloren. Starten Sie den Agenten (`receiptd run`): Er trägt ein, dass die Datei weg ist.',
        wait: 'Versuchen Sie es in einigen Minuten noch einmal. Sind ihre Bytes weg, wird sie `lost` und ist noch einmal zu scannen.',
        putBack:
          'Legen Sie die Datei zurück, wenn möglich, und starten Sie dann den Agenten (`receiptd run`).',
      },
    },
  };
}
