/**
 * Replaces every one of `texts`; where several begin at the same place, the longest, so that no rest of it stays. Searched one by
 * one: a regular expression of all of them has a limit, which one long secret reaches. `anyCase`: capitals and small letters are
 * the same.
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
    let open = wanted.map((each) => ({ each, at: searched.indexOf(each) })).filter(({ at }) => at >= 0);
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

/** Of the same length as `text`. */
function folded(text: string): string {
  const whole = text.toUpperCase();
  if (whole.length === text.length) return whole;
  // Some letters have two capitals (ß): they stay as they are.
  return text.replace(/[^]/g, (unit) => {
    const capital = unit.toUpperCase();
    return capital.length === 1 ? capital : unit;
  });
}
