import { spawnSync } from 'node:child_process';
import { requirement } from './requires.ts';

export const hasGit = requirement('git', spawnSync('git', ['--version']).status === 0, 'apt-get install git');
