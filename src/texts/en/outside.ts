import type { Format } from '../format.ts';
import { alertsTexts } from './alerts.ts';
import { scanNotesTexts } from './scanNotes.ts';

/** What people read outside the console, which does not load it: mails, notes beside scans. */
export default function outsideTexts(format: Format) {
  return { ...alertsTexts(format), ...scanNotesTexts(format) };
}
