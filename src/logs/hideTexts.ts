/**
 * Replaces every occurrence of `texts`. If several start at the same position, replaces the longest, so that no rest of it
 * remains. Looks texts up by how they begin, so that thousands of them cost hardly more than one, and because one long secret can
 * exceed the size limit of a regular expression. `anyCase`: ignores case.
 */
export function hiderOf(
  texts: readonly string[],
  { anyCase = false } = {},
): (text: string, replacement: (found: string) => string) => string {
  const fold = anyCase ? folded : (text: string): string => text;
  const wanted = [...new Set(texts.map(fold))].filter((each) => each !== '');
  wanted.sort((a, b) => b.length - a.length);
  const length = Math.min(LONGEST_BEGINNING, wanted.at(-1)?.length ?? 0);
  const byBeginning = new Map<string, string[]>();
  // Most positions are ruled out by their first character.
  const first = new Uint8Array(0x1_0000);
  for (const each of wanted) {
    const beginning = each.slice(0, length);
    const same = byBeginning.get(beginning);
    if (same) same.push(each);
    else byBeginning.set(beginning, [each]);
    first[each.charCodeAt(0)] = 1;
  }
  return (text, replacement) => {
    if (length === 0) return text;
    const searched = fold(text);
    let result = '';
    let done = 0;
    for (let at = 0; at + length <= searched.length; at += 1) {
      if (first[searched.charCodeAt(at)] === 0) continue;
      const found = byBeginning
        .get(searched.slice(at, at + length))
        ?.find((each) => searched.startsWith(each, at));
      if (found === undefined) continue;
      const end = at + found.length;
      result += text.slice(done, at) + replacement(text.slice(at, end));
      done = end;
      at = end - 1;
    }
    return done === 0 ? text : result + text.slice(done);
  };
}

const LONGEST_BEGINNING = 8;

/** Folds case without changing the length, so that positions still match. */
function folded(text: string): string {
  const whole = text.toUpperCase();
  if (whole.length === text.length) return whole;
  // Leave letters whose upper case has two characters (ß).
  return text.replace(/[^]/g, (unit) => {
    const capital = unit.toUpperCase();
    return capital.length === 1 ? capital : unit;
  });
}
