import { join } from 'node:path';
import { CATEGORIES, type FileTally } from '../features/audit/accounting.ts';
import type { Audit, AuditedFolder } from './auditResult.ts';
import type { CliTexts } from '../texts/cli.ts';
import { adviceOn, problemOf } from './auditAdvice.ts';
import { iso } from '../core/domain/words.ts';
import { shown } from '../core/domain/why.ts';

type Words = Pick<CliTexts, 'audit' | 'stateWords'>;

/** The output of `audit --json`. Stable: docs/commands.md describes the fields. */
export function auditJson(audit: Audit, texts: Words) {
  const { at, day, agentRuns, verdict, head, folders, total, check } = audit;
  return {
    verdict,
    at: iso(at),
    day,
    agentRuns,
    head,
    total: countsOf(total),
    folders: folders.map((folder) => ({
      path: folder.path,
      endpoint: folder.endpoint,
      ...countsOf(folder.tally),
      now: folder.now && {
        listed: folder.now.listed,
        known: folder.now.known,
        excluded: folder.now.excluded,
        links: folder.now.links,
      },
    })),
    unaccounted: folders.flatMap((folder) => unaccountedOf(folder, agentRuns, texts)),
    notLookedAt: folders.flatMap(({ path, now }) =>
      (now?.notLookedAt ?? []).map((each) => ({
        folder: path,
        path: join(path, each.path),
        message: each.message,
        fact: each.fact,
      })),
    ),
    crossCheck: { ...check, differences: check.differences.map((each) => shown(each)) },
  };
}

function countsOf({ seen, by, waiting }: FileTally) {
  return {
    seen,
    ...Object.fromEntries(CATEGORIES.map((category) => [category, by[category]])),
    waitingAs: waiting,
  };
}

function unaccountedOf({ path, now }: AuditedFolder, agentRuns: boolean, texts: Words) {
  return (now?.unaccounted ?? []).map((each) => ({
    folder: path,
    path: join(path, each.path),
    problem: each.problem,
    state: each.state,
    name: each.name,
    message: problemOf(texts, each),
    hint: adviceOn(texts, each, agentRuns),
  }));
}
