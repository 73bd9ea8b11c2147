import type { AwayTexts } from '../en/away.ts';

export const awayTexts: AwayTexts = {
  unreachable: (p) =>
    `${p.folder} ist nicht erreichbar: Die Freigabe oder Festplatte antwortet nicht (${p.system}).`,
  missing: (p) => `${p.folder} existiert nicht.`,
  notADirectory: (p) => `${p.folder} ist kein Ordner.`,
  notAllowed: (p) => `Der Benutzer des Agenten darf ${p.folder} nicht lesen (${p.system}).`,
  unreadable: (p) => `${p.folder} ist nicht lesbar (${p.system}).`,
  unlisted: (p) => `Die Dateien in ${p.folder} lassen sich nicht auflisten (${p.system}).`,
  unsearched: (p) => `${p.folder} ließ sich nicht durchsuchen (${p.system}).`,
  otherFileSystem: (p) =>
    p.was === null
      ? `${p.folder} ist nicht erreichbar: Das Dateisystem von früher ist nicht bekannt, und hier liegt keine der Dateien (es ist ${p.now}).`
      : `${p.folder} ist nicht erreichbar: Der Ordner liegt auf einem anderen Dateisystem als zuvor (${p.now} statt ${p.was}), und keine der Dateien ist darin.`,
  leadsElsewhere: (p) =>
    `${p.folder} führt woanders hin als zu dem Zeitpunkt, als der Ordner in der Konsole gewählt wurde.`,
  fileUnreadable: (p) => `${p.file} ist nicht lesbar (${p.system}).`,
  fileGone: (p) => `Die Datei ${p.file} ist nicht mehr da, und es gibt keine andere Kopie des Bildes.`,
  sentByHand:
    'Die Datei wurde aus einem Browser gesendet, und receiptd bewahrt von angenommenen Bildern keine Kopie auf.',
  imageElsewhere: (p) =>
    `Das Bild liegt nicht auf diesem Rechner: Es stammt aus ${p.folder}, worauf ein anderer Agent zugreifen kann.`,
};
