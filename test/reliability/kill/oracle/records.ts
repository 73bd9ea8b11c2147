import type { World } from '../world.ts';
import { isStateFile, keyOf } from '../../support/oracle.ts';
import { endOf, hasJournal } from './expected.ts';

/** Files set aside, or restored by a power failure right after their removal; the agent removes them after a day. */
const ASIDE = /^ledger\.db(-wal|-shm)?\.aside-|^before-restore-|^backups\/ledger-\d{8}T\d{9}Z\.db\.new$/;
const COPY = /^spool\/[0-9a-f]{2}\/([0-9a-f]{64})$/;
/** States in which the spool keeps a copy. */
const KEPT = new Set(['failed', 'unconfirmed']);

/** Checks that the records agree and that nothing incomplete is left next to them. */
export function judgeRecords(world: World): string[] {
  return [...recordsAgree(world), ...leftovers(world)];
}

function* recordsAgree(world: World): Generator<string> {
  const { observations, rows, audit, verify } = world;
  for (const [index, { journal }] of observations.entries())
    if (journal.problem !== null) yield `after run ${index + 1}: ${journal.problem}`;
  let longest = 0;
  for (const [index, observation] of observations.entries()) {
    const { entries } = observation.journal;
    if (entries < longest && hasJournal(world, observation))
      yield `after run ${index + 1} the journal is shorter than before`;
    longest = Math.max(longest, entries);
  }
  for (const told of endOf(world).journal.documents) {
    const row = rows.find((each) => keyOf(each) === keyOf(told) && each.name === told.name);
    if (!row) yield `${told.name} is in the journal, but not in the ledger`;
    else if (row.state !== told.state && row.state !== 'held')
      yield `${told.name} is ${told.state} in the journal, but ${row.state} in the ledger`;
  }
  if (verify.status !== 0) yield `ledger verify ended with ${verify.status}: ${verify.text}`;
  if (audit.status !== 0) yield `audit ended with ${audit.status}: ${audit.text}`;
}

function* leftovers({ stateFiles, rows, ledgerWasDamaged }: World): Generator<string> {
  for (const file of stateFiles) {
    const [, copy] = COPY.exec(file) ?? [];
    if (copy !== undefined) {
      if (!rows.some(({ sha256, state }) => sha256 === copy && KEPT.has(state)))
        yield `a copy is left in the spool, but nothing needs it: ${copy}`;
    } else if (ASIDE.test(file)) {
      if (!ledgerWasDamaged) yield `${file} was set aside, but was not damaged`;
    } else if (!isStateFile(file)) yield `${file} is left in the state directory`;
  }
}
