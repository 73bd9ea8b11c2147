/** Literals, quoted names, comments (the last of each kind may lack its end), casts, or a parameter. */
const PARAM = /'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*[^]*?(?:\*\/|$)|::|:([A-Za-z_]\w*)/g;

/** Replaces parameters written `:name` by numbers, `?1` or `$1`. A repeated name has one number. */
export function numberParams(
  text: string,
  sign: '?' | '$' = '?',
): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  const numbered = text.replace(PARAM, (whole, name: string | undefined) => {
    if (name === undefined) return whole;
    if (!names.includes(name)) names.push(name);
    return `${sign}${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}
