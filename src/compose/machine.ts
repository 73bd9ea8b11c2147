import { systemClock } from '../daemon/systemClock.ts';
import { createImageInspector } from '../image/inspect.ts';

export const composeInspector = createImageInspector;
export const clock = systemClock;
