import shared from '../../../texts/de.ts';
import type { Format } from '../textFormat.ts';
import { frameTexts } from './de/frame.ts';
import { statesTexts } from './de/states.ts';
import { overviewTexts } from './de/overview.ts';
import { documentsTexts } from './de/documents.ts';
import { documentTexts } from './de/document.ts';
import { foldersTexts } from './de/folders.ts';
import { endpointsTexts } from './de/endpoints.ts';
import { settingsTexts } from './de/settings.ts';
import { daysTexts } from './de/days.ts';
import { fleetTexts } from './de/fleet.ts';
import { logTexts } from './de/log.ts';
import { setupTexts } from './de/setup.ts';
import type { ConsoleTexts } from './en.ts';

/** German, in office vocabulary: a document is a Beleg, the ledger is the Eingangsbuch. */
export default function german(format: Format): ConsoleTexts {
  return {
    ...shared(format),
    ...frameTexts(format),
    ...statesTexts(),
    ...overviewTexts(format),
    ...documentsTexts(format),
    ...documentTexts(),
    ...foldersTexts(format),
    ...endpointsTexts(format),
    ...settingsTexts(format),
    ...daysTexts(format),
    ...fleetTexts(),
    ...logTexts(format),
    ...setupTexts(),
  };
}
