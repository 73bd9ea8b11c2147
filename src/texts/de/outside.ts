import type { Format } from '../format.ts';
import type english from '../en/outside.ts';
import { alertsTexts } from './alerts.ts';
import { csvTexts } from './csv.ts';
import { scanNotesTexts } from './scanNotes.ts';

export default function outsideTexts(format: Format): ReturnType<typeof english> {
  return { ...alertsTexts(format), ...csvTexts, ...scanNotesTexts(format) };
}
