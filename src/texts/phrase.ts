/** A text for each key, or what makes one of parameters. */
export type Phrases = Readonly<Record<string, string | ((params: never) => string)>>;

/** A key of such a table with its parameters: what a person is told, as plain data. */
export type Fact<T> = {
  readonly [K in keyof T]: { readonly is: K } & (T[K] extends (params: infer P) => string ? P : unknown);
}[keyof T];

/** The same table in another language. */
export type SamePhrases<T> = {
  readonly [K in keyof T]: T[K] extends (params: infer P) => string ? (params: P) => string : string;
};

/** With a full stop if it is not a sentence. */
export const ended = (text: string): string => (/[.!?\]]$/.test(text) ? text : `${text}.`);

/** A path or name as one word of a command to paste: quoted where a shell would split or change it. */
export function asWord(text: string): string {
  const isOfWindows = /^([a-z]:|\\)\\/i.test(text);
  if (/^[\p{L}\p{N}_./:@%+=][\p{L}\p{N}_./:@%+=#-]*$/u.test(isOfWindows ? text.replaceAll('\\', '/') : text))
    return text;
  return isOfWindows ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether a service may have its own empty directory instead (PrivateTmp of systemd). */
export const isTemporary = (path: string): boolean => /^\/(var\/)?tmp(\/|$)/.test(path);

/** What is wrong with settings. */
export interface InvalidSettingsPhrase<F = { readonly is: PropertyKey }> {
  /** Null if it was not written; lines and columns would be of no use then. */
  readonly file: string | null;
  /** In the order of the file. */
  readonly problems: readonly {
    /** Such as folders[0].maxFileSize; empty for the whole file. */
    readonly key: string;
    readonly line: number;
    readonly col: number;
    readonly flaw: F;
  }[];
}

/** Whether an error's parameters say what is wrong with settings. */
export function areOfSettings(params: object | null | undefined): params is InvalidSettingsPhrase {
  return (
    typeof params === 'object' && params !== null && 'problems' in params && Array.isArray(params.problems)
  );
}

/** One line for each problem. */
export function settingLines({ file, problems }: InvalidSettingsPhrase, flaws: Phrases): string {
  const lines = problems.map(({ key, line, col, flaw }) => {
    const where = [file === null ? '' : `${file}:${line}:${col}`, key].filter((each) => each !== '');
    return [...where, phrase(flaws, flaw)].join(': ');
  });
  return lines.join('\n');
}

/** The text of a fact; its key if another version knows it. */
export function phrase(texts: Phrases, fact: { readonly is: PropertyKey }): string {
  const key = String(fact.is);
  const found = Object.hasOwn(texts, key) ? texts[key] : key;
  // Each function takes the parameters of its key.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return typeof found === 'function' ? found(fact as never) : (found ?? key);
}
