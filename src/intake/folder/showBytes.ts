import { isUtf8 } from 'node:buffer';

const LONGEST_CHARACTER = 4;

/** Shows a name that is not valid UTF-8: bytes that belong to no character appear in hexadecimal, as in %E4. */
export function showBytes(name: Buffer): string {
  let shown = '';
  for (let at = 0; at < name.length;) {
    const character = characterAt(name, at);
    shown += character
      ? character.toString('utf8')
      : `%${name
          .subarray(at, at + 1)
          .toString('hex')
          .toUpperCase()}`;
    at += character?.length ?? 1;
  }
  return shown;
}

function characterAt(name: Buffer, at: number): Buffer | null {
  for (let length = 1; length <= LONGEST_CHARACTER && at + length <= name.length; length += 1) {
    const bytes = name.subarray(at, at + length);
    if (isUtf8(bytes)) return bytes;
  }
  return null;
}
