/** The file types the agent can tell apart and check for completeness. */
export const IMAGE_TYPES = ['jpeg', 'png', 'tiff', 'webp', 'gif', 'bmp', 'heic', 'pdf'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

/** The interface speaks of receipt images (section 1), so a PDF has to be allowed explicitly. */
export const DEFAULT_ACCEPTED_TYPES: readonly ImageType[] = IMAGE_TYPES.filter((type) => type !== 'pdf');

/** Types to which a scanner appends page by page, so that a complete structure may still grow. */
export const GROWING_TYPES: ReadonlySet<ImageType> = new Set<ImageType>(['tiff', 'pdf']);

export const MEDIA_TYPES: Readonly<Record<ImageType, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  tiff: 'image/tiff',
  webp: 'image/webp',
  gif: 'image/gif',
  bmp: 'image/bmp',
  heic: 'image/heic',
  pdf: 'application/pdf',
};
