import type { ContentTexts, GapTexts, PageFlawTexts } from '../en/imageFlaws.ts';
import type { Format } from '../format.ts';

const KINDS = { gif: 'ein Block', png: 'ein Chunk', webp: 'ein Chunk' };
const ENDS = { jpeg: 'die Endmarke', png: 'der Endchunk', gif: 'das Ende', pdf: 'das Ende (%%EOF)' };
const BEFORE_ENDS = {
  jpeg: 'der Endmarke',
  png: 'dem Endchunk',
  gif: 'dem Ende',
  pdf: 'dem Ende (%%EOF)',
};
const up = (type: string): string => (type === 'webp' ? 'WebP' : type.toUpperCase());

export const gapTexts = ({ number, counted }: Format): GapTexts => {
  const bytes = (value: number): string => counted(value, 'Byte', 'Bytes');
  return {
    zeros: 'an der Stelle von Bilddaten stehen Nullen',
    short: (p) => `das ${up(p.type)} hat ${bytes(p.has)} von ${bytes(p.needs)}`,
    header: (p) => `der Kopf des ${up(p.type)} ist nicht vollständig geschrieben`,
    imageMissing: (p) =>
      `dem ${up(p.type)} fehlen Bilddaten vor ${BEFORE_ENDS[p.type]} bei Byte ${number(p.at)}`,
    noBlock: (p) =>
      `das ${up(p.type)} ist beschädigt oder nicht vollständig geschrieben: bei Byte ${number(p.at)} fehlt ${KINDS[p.type]}`,
    endMissing: (p) => `nach ${bytes(p.has)} fehlt ${ENDS[p.type]} des ${up(p.type)}`,
    endCut: (p) => `der Endchunk des PNG bei Byte ${number(p.at)} ist nicht vollständig geschrieben`,
    emptySegment: (p) =>
      `das JPEG ist beschädigt oder nicht vollständig geschrieben: leeres Segment bei Byte ${number(p.at)}`,
    noData: (p) => `das ${up(p.type)} hat nach ${bytes(p.has)} noch keine Bilddaten`,
    boxBeyond: (p) =>
      `das ${up(p.type)} ist beschädigt: Der Abschnitt ab Byte ${number(p.at)} ist länger als das, worin er liegt`,
    notPlaced: (p) => `das ${up(p.type)} sagt nicht, wo seine Bilddaten liegen`,
    placesCut: (p) => `das ${up(p.type)} ist beschädigt: Die Angaben zur Lage der Bilddaten brechen ab`,
    dataBeyond: (p) =>
      `das ${up(p.type)} ist unvollständig: Bilddaten enden laut Angabe bei Byte ${number(p.end)}, die Datei hat ${bytes(p.has)}`,
    dataCut: (p) =>
      `die Bilddaten des ${up(p.type)} bei Byte ${number(p.at)} sind nicht vollständig geschrieben`,
    lengthMissing: (p) => `das ${up(p.type)} sagt nicht, wie lang seine Bilddaten sind`,
    pdfEndMissing: 'nach dem Inhaltsverzeichnis (xref) fehlt das Ende des PDF (%%EOF)',
    pdfGoesOn: 'nach dem Ende des PDF wird weitergeschrieben',
    pdfTableMissing: 'das PDF sagt nicht, wo sein Inhaltsverzeichnis (xref) liegt',
    directoryMissing: (p) => `nach ${bytes(p.has)} ist das Verzeichnis des TIFF noch nicht geschrieben`,
    directoryBeyond: (p) =>
      `das TIFF ist unvollständig: Das Verzeichnis einer Seite bei Byte ${number(p.at)} passt nicht in ${bytes(p.has)}`,
    directoryEmpty: (p) => `das Verzeichnis des TIFF bei Byte ${number(p.at)} ist noch nicht geschrieben`,
    directoryCut: (p) =>
      `das Verzeichnis des TIFF bei Byte ${number(p.at)} ist nicht vollständig geschrieben`,
    valueBeyond: (p) =>
      `das TIFF ist unvollständig: Ein Wert endet laut Angabe bei Byte ${number(p.end)}, die Datei hat ${bytes(p.has)}`,
    circle: 'das TIFF ist beschädigt: Seine Verzeichnisse verweisen im Kreis aufeinander',
    overlap: 'das TIFF ist beschädigt: Seine Verzeichnisse überschneiden sich',
  };
};

export const contentTexts = ({ counted }: Format): ContentTexts => ({
  empty: 'die Datei ist leer',
  zeros: 'die Datei beginnt mit Nullen und wird wohl noch geschrieben',
  text: 'sie sieht wie Text aus',
  tooShort: (p) => `sie ist zu kurz, um ihre Art zu erkennen (${counted(p.bytes, 'Byte', 'Bytes')})`,
  unknown: 'ihr Inhalt ist von unbekannter Art',
  other: (p) => `sie ist ein ${p.type}`,
});

export const pageFlawTexts = (format: Format): PageFlawTexts => {
  const { counted, number } = format;
  const own: Omit<PageFlawTexts, 'notStarted'> = {
    password: 'sie ist mit einem Passwort geschützt',
    structure: 'ihr Aufbau ist beschädigt',
    damaged: 'sie ist beschädigt',
    xfa: 'sie ist ein Formular, das nur Programme von Adobe anzeigen',
    portfolio: (p) => `sie ist ein Portfolio mit ${counted(p.files, 'anderen Datei', 'anderen Dateien')}`,
    fontMissing: (p) => `ihr fehlt die Schrift für „${p.letters}“`,
    unusualTiff: 'sie ist ein ungewöhnliches TIFF, das nicht jedes Programm liest',
    noPages: 'sie hat keine Seiten',
    notOfPages: 'sie besteht nicht aus Seiten',
    noSuchPage: 'sie hat keine solche Seite',
    notDecoded: 'ihr Bild lässt sich nicht dekodieren',
    manyPages: (p) =>
      `sie hat ${counted(p.pages, 'Seite', 'Seiten')}; höchstens ${number(p.most)} sind möglich`,
    pixels: (p) => `sie hat ${p.width} x ${p.height} Pixel`,
    largeToOpen: 'sie ist zu groß zum Öffnen',
    largeToDraw: 'sie ist zu groß zum Zeichnen',
    memory: 'sie braucht zu viel Arbeitsspeicher',
    slow: (p) => `sie braucht länger als ${p.seconds} s`,
    givenUp: (p) =>
      `${counted(p.pages, 'Seite', 'Seiten')} nacheinander brauchten zu viel Zeit oder Speicher; die übrigen wurden nicht versucht`,
    gone: 'die Datei ist nicht mehr da, und es gibt keine Kopie',
    bytesUnreadable: 'ihr Inhalt ist nicht lesbar',
    notLoaded: 'das PDF-Leseprogramm ließ sich nicht laden',
    notRun: (p) => `das Leseprogramm ließ sich nicht starten (${p.detail})`,
    notAsked: (p) => `das Leseprogramm ließ sich nicht befragen (${p.detail})`,
    otherAnswer: 'etwas anderes hat geantwortet',
    crashed: 'das Leseprogramm endete ohne Antwort',
    noAnswer: 'das Leseprogramm gab keine Antwort',
    stopping: 'der Agent wird gerade beendet',
  };
  return {
    ...own,
    notStarted: (p) => `das Leseprogramm startet nicht: ${format.phrase(own, p.flaw)}`,
  };
};
