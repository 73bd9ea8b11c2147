/**
 * Replaces every occurrence of `texts`. If several start at the same position, replaces the longest, so that no rest of it
 * remains. Searches them one by one, because one long secret can exceed the size limit of a regular expression.
 * `anyCase`: ignores case.
 */
export function hiderOf(
  texts: readonly string[],
  { anyCase = false } = {},
): (text: string, replacement: (found: string) => string) => string {
  const fold = anyCase ? folded : (text: string): string => text;
  const wanted = [...new Set(texts.map(fold))].filter((each) => each !== '');
  wanted.sort((a, b) => b.length - a.length);
  return (text, replacement) => {
    const searched = fold(text);
    let open: { readonly each: string; at: number }[] = [];
    for (const each of wanted) {
      const at = searched.indexOf(each);
      if (at >= 0) open.push({ each, at });
    }
    if (open.length === 0) return text;
    let result = '';
    let done = 0;
    while (open.length > 0) {
      const [first] = open;
      if (first === undefined) break;
      let next = first;
      for (const one of open) if (one.at < next.at) next = one;
      const end = next.at + next.each.length;
      result += text.slice(done, next.at) + replacement(text.slice(next.at, end));
      done = end;
      for (const one of open) if (one.at < end) one.at = searched.indexOf(one.each, end);
      open = open.filter(({ at }) => at >= 0);
    }
    return result + text.slice(done);
  };
}

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
