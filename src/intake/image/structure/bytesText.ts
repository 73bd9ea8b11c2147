/** Formats a number of bytes for people: "81,920 bytes". */
export function bytesText(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'byte' : 'bytes'}`;
}
