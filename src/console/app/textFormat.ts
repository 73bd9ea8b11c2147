/** What texts are written with; see `format.ts`. */
export interface Format {
  readonly number: (value: number) => string;
  /** `more`: forms of languages that have further ones than these two, by the rule's name. */
  readonly counted: (value: number, one: string, other: string, more?: Forms) => string;
}

export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;

/** How uploads ended. */
export interface Ended {
  readonly accepted: number;
  readonly refused: number;
  readonly limited: number;
  readonly trouble: number;
}
