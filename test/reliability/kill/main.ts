import { spawnSync } from 'node:child_process';
import { endWithAgents } from '../support/agentProcess.ts';
import { playRounds, roundsOf, trialOptions } from '../support/campaign.ts';
import { loadImages } from '../support/images.ts';
import { hasStrace } from './agent.ts';
import { playRound } from './round.ts';
import { removeOpen } from './site.ts';

/** Set in the child process that has its own mount namespace. */
const OWN_MOUNTS = 'RECEIPTD_CAMPAIGN_MOUNTS';

const options = trialOptions(
  'kill',
  {
    // Covers every ledger write of a first run.
    ...roundsOf(220),
    'at-once': { default: 2, least: 1, help: 'rounds to play at once' },
  },
  {
    power:
      'cut the power instead: state directory and archives are on an ext4 that loses unsynced data (as root)',
  },
);

// Restarts itself in a private mount namespace for its disks.
if (options.power && process.env[OWN_MOUNTS] === undefined) {
  const again = ['--mount', '--propagation', 'private', process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, [OWN_MOUNTS]: '1' };
  process.exit(spawnSync('unshare', again, { stdio: 'inherit', env }).status ?? 1);
}

endWithAgents(removeOpen);
if (!hasStrace) process.stdout.write('strace is missing: kills hit SQLite’s own writes only by chance.\n');
const images = await loadImages();
// They mostly wait.
const atOnce = options['at-once'];
await playRounds('kill', options, (seed) => playRound(seed, images, options), { atOnce });
process.exit();
