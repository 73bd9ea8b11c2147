import shared from '../../../texts/en.ts';
import type { Format } from '../textFormat.ts';
import { frameTexts } from './en/frame.ts';
import { statesTexts } from './en/states.ts';
import { overviewTexts } from './en/overview.ts';
import { documentsTexts } from './en/documents.ts';
import { documentTexts } from './en/document.ts';
import { foldersTexts } from './en/folders.ts';
import { endpointsTexts } from './en/endpoints.ts';
import { settingsTexts } from './en/settings.ts';
import { daysTexts } from './en/days.ts';
import { fleetTexts } from './en/fleet.ts';
import { logTexts } from './en/log.ts';
import { setupTexts } from './en/setup.ts';

/**
 * All texts of the console, by area. To add a language, add a folder of these files, a file like this one and a line in
 * `language.ts`. Language files import only each other, so that a language can be loaded before everything else.
 */
export default function english(format: Format) {
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

export type ConsoleTexts = ReturnType<typeof english>;
