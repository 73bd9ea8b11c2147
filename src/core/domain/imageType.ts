interface TypeFacts {
  readonly mediaType: string;
  /** Extensions of its files, in lower case; receiptd gives its own files the first one. */
  readonly endings: readonly [string, ...string[]];
  /** How file-type names it. */
  readonly detectedAs: readonly string[];
  /** Whether folders accept it unless configured otherwise. The interface mentions receipt images alone (section 1). */
  readonly isDefault: boolean;
  /** Whether scanners append to it page by page: a complete file may still grow. */
  readonly grows: boolean;
  /** Whether it ends with a marker, after which some programs pad files with zeros. */
  readonly hasEnd: boolean;
  /** Whether its decoders notice zeros that are no image data. In a BMP they are black, and a PDF is shown without what is missing. */
  readonly isCompressed: boolean;
  /** Whether the decoder can draw it, and so measure whether it is blank, dark or blurred. */
  readonly isDrawn: boolean;
  /** Whether it may have to be taken apart into pages, or turned. */
  readonly isSplit: boolean;
}

/** The types of files that the agent recognizes and checks for completeness. How each is recognized and checked: intake/image. */
const FACTS = {
  jpeg: {
    mediaType: 'image/jpeg',
    endings: ['jpg', 'jpeg', 'jpe', 'jfif', 'jif'],
    detectedAs: ['jpg'],
    isDefault: true,
    grows: false,
    hasEnd: true,
    isCompressed: true,
    isDrawn: true,
    isSplit: true,
  },
  png: {
    mediaType: 'image/png',
    endings: ['png', 'apng'],
    detectedAs: ['png', 'apng'],
    isDefault: true,
    grows: false,
    hasEnd: true,
    isCompressed: true,
    isDrawn: true,
    isSplit: false,
  },
  tiff: {
    mediaType: 'image/tiff',
    endings: ['tiff', 'tif'],
    detectedAs: ['tif'],
    isDefault: true,
    grows: true,
    hasEnd: false,
    isCompressed: true,
    isDrawn: true,
    isSplit: true,
  },
  webp: {
    mediaType: 'image/webp',
    endings: ['webp'],
    detectedAs: ['webp'],
    isDefault: true,
    grows: false,
    hasEnd: false,
    isCompressed: true,
    isDrawn: true,
    isSplit: false,
  },
  gif: {
    mediaType: 'image/gif',
    endings: ['gif'],
    detectedAs: ['gif'],
    isDefault: true,
    grows: false,
    hasEnd: true,
    isCompressed: true,
    isDrawn: true,
    isSplit: false,
  },
  bmp: {
    mediaType: 'image/bmp',
    endings: ['bmp', 'dib'],
    detectedAs: ['bmp'],
    isDefault: true,
    grows: false,
    hasEnd: false,
    isCompressed: false,
    isDrawn: false,
    isSplit: false,
  },
  heic: {
    mediaType: 'image/heic',
    endings: ['heic', 'heif', 'hif'],
    detectedAs: ['heic'],
    isDefault: true,
    grows: false,
    hasEnd: false,
    isCompressed: true,
    isDrawn: true,
    isSplit: true,
  },
  pdf: {
    mediaType: 'application/pdf',
    endings: ['pdf'],
    detectedAs: ['pdf'],
    isDefault: false,
    grows: true,
    hasEnd: true,
    isCompressed: false,
    isDrawn: false,
    isSplit: true,
  },
} as const satisfies Readonly<Record<string, TypeFacts>>;

export type ImageType = keyof typeof FACTS;
/** Types that contain pages, or have to be converted or turned first. */
export type SplitType = {
  [T in ImageType]: (typeof FACTS)[T]['isSplit'] extends true ? T : never;
}[ImageType];

export const IMAGE_TYPES = Object.keys(FACTS) as [ImageType, ...ImageType[]];

export const factsOf = (type: ImageType): TypeFacts => FACTS[type];

export const isSplitType = (type: ImageType | null): type is SplitType =>
  type !== null && FACTS[type].isSplit;
