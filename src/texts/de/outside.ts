import type { Format } from '../format.ts';
import type english from '../en/outside.ts';
import { alertsTexts } from './alerts.ts';
import { scanNotesTexts } from './scanNotes.ts';

export default function outsideTexts(format: Format): ReturnType<typeof english> {
  return { ...alertsTexts(format), ...scanNotesTexts(format) };
}
