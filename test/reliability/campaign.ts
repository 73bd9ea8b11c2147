/** `npm run campaign`: runs a campaign by name. Each has a short form among the tests. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CAMPAIGNS } from './campaigns.ts';

const [name = '', ...options] = process.argv.slice(2);
const campaign = CAMPAIGNS.find((each) => each.name === name);

if (campaign === undefined) {
  const lines = CAMPAIGNS.map(
    (each) => `  ${each.name.padEnd(9)} ${each.what} (short form: ${each.shortForm})`,
  );
  const usage = `npm run campaign -- NAME [options]; NAME --help lists the options.\n\n${lines.join('\n')}\n`;
  const isAsked = ['', '--help', '-h'].includes(name);
  if (!isAsked) process.stderr.write(`npm run campaign: there is no campaign called ${name}.\n`);
  process[isAsked ? 'stdout' : 'stderr'].write(usage);
  process.exitCode = isAsked ? 0 : 2;
} else {
  const main = fileURLToPath(new URL(`${campaign.folder}/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...options], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both. The campaign ends its own processes and then itself.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (status) => (process.exitCode = status ?? 1));
}
