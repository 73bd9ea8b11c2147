/** Languages that texts for people exist in. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of a tag or locale such as `de-AT` or `de_DE.UTF-8`; undefined for others. */
export function languageOf(tag: string): Language | undefined {
  const [word = ''] = tag.toLowerCase().split(/[-_.@]/, 1);
  return LANGUAGES.find((each) => each === word);
}

/** The language of a terminal, by the variables that decide it there. */
export function languageOfTerminal(env: Readonly<Record<string, string | undefined>>): Language {
  const tag = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((each) => each !== undefined && each !== '');
  return languageOf(tag ?? '') ?? 'en';
}
