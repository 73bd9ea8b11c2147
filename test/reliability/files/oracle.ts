import type { Config } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { compareFolder } from '../../../src/features/audit/audit.ts';
import type { ListState, Standing } from '../../../src/core/ports/ledgerReports.ts';
import { UIDS } from '../support/office.ts';
import type { Contents, Kind } from './contents.ts';
import { coveredFiles, hashOf, type Covered } from './coverage.ts';
import type { Disk } from './disk.ts';
import { LARGEST } from './contents.ts';
import { shown } from './names.ts';
import type { FolderRule } from './settings.ts';
import type { RecordingService, Subject } from './subject.ts';

export interface Judged {
  readonly config: Config;
  readonly rules: readonly FolderRule[];
  readonly disk: Disk;
  readonly contents: Contents;
  readonly service: RecordingService;
  readonly subject: Subject;
}

const STATES: Readonly<Record<Kind | 'badName' | 'unknown', readonly ListState[]>> = {
  image: ['accepted', 'duplicate'],
  growing: ['accepted', 'duplicate'],
  incomplete: ['incomplete'],
  rejected: ['rejected'],
  badName: ['unreadable'],
  // Parts of a file, or one version written over another: any verdict is fine.
  unknown: ['accepted', 'duplicate', 'incomplete', 'rejected'],
};

/**
 * Remaining differences between the model and ledger, service and folders; empty once the agent has done everything. `strict`: no disposal
 * may be waiting for a retry minutes later.
 */
export async function differences(judged: Judged, strict: boolean): Promise<string[]> {
  const { disk, subject, config, rules } = judged;
  const ledger = subject.running?.ledger;
  if (!ledger) return ['The agent is not running.'];
  disk.adopt();
  const found: string[] = [];
  for (const { state, count } of await ledger.counts())
    if (!['accepted', 'duplicate', 'rejected', 'incomplete', 'unreadable'].includes(state))
      found.push(`${count} documents are ${state}.`);
  for (const [index, rule] of rules.entries()) {
    const path = config.folders[index]?.path ?? '';
    found.push(...(await compareWithLedger(judged, rule, path, strict)));
    const deps = { folder: subject.open(path), reports: ledger, clock: systemClock };
    const audit = await compareFolder(deps, null, new AbortController().signal);
    for (const each of audit.unaccounted)
      found.push(
        `The audit does not account for ${JSON.stringify(each.path)} in ${rule.folder}: ${each.problem}.`,
      );
    for (const each of audit.notLookedAt)
      found.push(`The audit could not check ${JSON.stringify(each.path)} in ${rule.folder}: ${each.message}`);
  }
  return found;
}

async function compareWithLedger(
  { disk, contents, service, subject }: Judged,
  rule: FolderRule,
  folderPath: string,
  strict: boolean,
): Promise<string[]> {
  const found: string[] = [];
  const ledger = subject.running?.ledger;
  if (!ledger) return ['The agent is not running.'];
  const standings = new Map<string, Standing>();
  const mayLie = rule.afterUpload === 'keep' || (!strict && subject.putOffDisposals);
  for await (const batch of ledger.standings(folderPath))
    for (const [path, each] of batch) standings.set(path, each);
  const names = new Map(
    service.stored.filter(({ uid }) => uid === UIDS[rule.endpoint]).map(({ hash, name }) => [hash, name]),
  );
  for (const covered of coveredFiles(disk.tree, [rule])) {
    const path = shown(covered.path.slice(rule.folder.length + 1));
    const standing = standings.get(path);
    standings.delete(path);
    const says = `${JSON.stringify(covered.path)} (${wordFor(covered, contents)})`;
    const states = STATES[wordFor(covered, contents)];
    if (standing === undefined) {
      // Two names that differ only in undecodable bytes look the same.
      if (!covered.badName) found.push(`${says} is not in the ledger.`);
    } else if (!states.includes(standing.state)) found.push(`${says} is ${standing.state} in the ledger.`);
    else if (standing.state === 'accepted' || standing.state === 'duplicate') {
      const name = names.get(hashOf(covered.node.bytes));
      if (name !== standing.name)
        found.push(`${says} is ${standing.name} in the ledger, but ${name ?? 'missing'} at the service.`);
      if (!mayLie) found.push(`${says} is still in its folder.`);
    }
  }
  for (const [path, { state }] of standings)
    found.push(
      `The ledger has ${JSON.stringify(path)} in ${rule.folder} as ${state}, but it does not exist.`,
    );
  return found;
}

function wordFor({ node, badName }: Covered, contents: Contents): keyof typeof STATES {
  if (badName) return 'badName';
  if (node.bytes.length > LARGEST) return 'rejected';
  return contents.kindOf(hashOf(node.bytes)) ?? 'unknown';
}
