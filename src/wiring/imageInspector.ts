/** For a command that looks at images without a pipeline. */
export { createImageInspector } from '../intake/image/inspect.ts';
