// Runs lines of shell and commands of receiptd one after the other in one process, because starting it for each would take most of the
// time. Of each command, it prints the code of its error, what it says about an installation, and what the service manager was asked.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';

const { BUILT, HOME, LINES, MAIN, RECORD } = process.env;
// What an installed service would run.
process.argv[1] = MAIN;
const { runCommandLine } = await import(BUILT);
process.chdir(HOME);

function toldOf(line) {
  const [, code] = /\[([A-Z_]+)\]$/.exec(line) ?? [];
  const [, fact] = /^ *"(?:says|user)": (.*)/.exec(line) ?? [];
  return code ?? fact ?? (/^[-+] | masked/.test(line) ? line : null);
}

for (const line of LINES.split('\n')) {
  if (!line.startsWith('receiptd ')) {
    process.stdout.write(execFileSync('sh', ['-c', line]));
    continue;
  }
  const args = line.split(' ').slice(1);
  writeFileSync(RECORD, '');
  let said = '';
  const output = () =>
    new Writable({
      decodeStrings: false,
      write: (chunk, _, done) => {
        said += chunk;
        done();
      },
    });
  const io = { stdin: Readable.from([]), stdout: output(), stderr: output(), env: process.env, cwd: HOME };
  await runCommandLine(['node', 'receiptd', ...args], {
    ...io,
    stop: new AbortController().signal,
    onReload: () => () => {},
  });
  const asked = readFileSync(RECORD, 'utf8').split('\n');
  const told = [
    ...said.split('\n').flatMap((each) => toldOf(each) ?? []),
    ...asked.filter((each) => each !== '' && !each.includes(' show ')),
  ];
  process.stdout.write(`> ${args.join(' ')}\n${told.map((each) => `${each}\n`).join('')}`);
}
