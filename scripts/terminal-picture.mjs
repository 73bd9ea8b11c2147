// Draws the text from standard input as a picture of a terminal:
//   node dist/receiptd.cjs list --config scratch/receiptd.yaml | node scripts/terminal-picture.mjs 'receiptd list' > docs/images/terminal.svg
import { text } from 'node:stream/consumers';

const LINE = 18;
const CHARACTER = 7.8;
const PADDING = 16;
const TITLE = 30;

const escape = (line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const command = process.argv[2] ?? '';
const lines = [`$ ${command}`, ...(await text(process.stdin)).trimEnd().split('\n')];
const width = Math.ceil(Math.max(...lines.map((line) => Array.from(line).length)) * CHARACTER + 2 * PADDING);
const height = lines.length * LINE + 2 * PADDING + TITLE;
const colorOf = (line, index) => {
  if (index === 0) return '#7ee787';
  if (/ rejected /.test(line)) return '#ffa657';
  return / duplicate /.test(line) ? '#8b949e' : '#e6edf3';
};
const rows = lines.map(
  (line, index) =>
    `<text x="${PADDING}" y="${TITLE + PADDING + (index + 0.75) * LINE}" fill="${colorOf(line, index)}">${escape(line)}</text>`,
);
process.stdout
  .write(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(command)}">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`);
