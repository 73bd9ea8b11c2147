import type { Format } from '../format.ts';
import { alertsTexts } from './alerts.ts';
import { csvTexts } from './csv.ts';
import { scanNotesTexts } from './scanNotes.ts';

/** What people read outside the console, which does not load it: mails, notes beside scans, spreadsheets. */
export default function outsideTexts(format: Format) {
  return { ...alertsTexts(format), ...csvTexts, ...scanNotesTexts(format) };
}
