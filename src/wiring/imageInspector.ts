import { systemClock } from '../system/systemClock.ts';
import { createImageInspector } from '../intake/image/inspect.ts';

export const composeInspector = createImageInspector;
export const clock = systemClock;
