/** File types that the agent can recognize and check for completeness. */
export const IMAGE_TYPES = ['jpeg', 'png', 'tiff', 'webp', 'gif', 'bmp', 'heic', 'pdf'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

/** The interface only mentions receipt images (section 1), so PDF must be allowed explicitly. */
export const DEFAULT_ACCEPTED_TYPES: readonly ImageType[] = IMAGE_TYPES.filter((type) => type !== 'pdf');

/** Types to which scanners append page by page: a complete file may still grow. */
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
