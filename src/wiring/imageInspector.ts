/** For commands that inspect images without a pipeline. */
export { createImageInspector } from '../intake/image/inspect.ts';
