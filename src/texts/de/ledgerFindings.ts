import type { ledgerFindingTexts as english } from '../en/ledgerFindings.ts';
import type { Format } from '../format.ts';
import type { SamePhrases } from '../phrase.ts';

export const ledgerFindingTexts = ({ counted, number }: Format): SamePhrases<ReturnType<typeof english>> => ({
  countsDiffer: (p) =>
    `${p.folder}: ${counted(p.one, 'Datei ist', 'Dateien sind')} nach der einen Zählung ${p.state}, ${number(p.other)} nach der anderen.`,
  noFile: (p) => `Zum Beleg „${p.name}“ (${p.state}) gibt es im Eingangsbuch keine Datei.`,
  doesNotAddUp: (p) =>
    `${counted(p.seen, 'Datei ist', 'Dateien sind')} eingegangen, aber die Zahlen je Zustand ergeben zusammen etwas anderes.`,
});
