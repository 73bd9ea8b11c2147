/** Formatting functions for texts; `format.ts` implements them. */
export interface Format {
  readonly number: (value: number) => string;
  /** `more`: additional plural forms, by plural rule, for languages that need more than two. */
  readonly counted: (value: number, one: string, other: string, more?: Forms) => string;
}

export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;

/** Number of uploads by outcome. */
export interface Ended {
  readonly accepted: number;
  readonly refused: number;
  readonly limited: number;
  readonly trouble: number;
}
