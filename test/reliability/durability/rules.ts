import { basename } from 'node:path';
import { readJournal } from '../../oracle/journal.ts';
import { PERSONAL, type Story } from './story.ts';
import { Disk } from './disk.ts';
import type { FileCall } from './trace.ts';

/** What a rule may look at: the disk after the call. */
interface Moment {
  readonly disk: Disk;
  readonly story: Story;
  readonly state: (name: string) => string;
}

interface Rule {
  /** As people rely on it. */
  readonly says: string;
  /** The calls that it is about, with what they are about; null for all others. */
  readonly on: (call: FileCall, moment: Moment) => string | null;
  /** What is not as it has to be. */
  readonly breaches: (subject: string, moment: Moment) => string[];
}

/**
 * Need not survive: made anew from the journal (tables, their logs, the reserve), says who runs now, or is only for people to read. The mark
 * of a clean shutdown is the exception among the tables: its removal has to survive, so it is not named here.
 */
const MADE_ANEW =
  /\/(?:ledger\.db(?:\.aside-\w+(?:-\d+)?)?(?:-wal|-shm|-journal)?|ledger\.db\.new(?:-journal|-wal)?|reserve(?:\.new)?|instance\.(?:lock|json)|logs\/.*|thumbnails\/.*|papers\/.*|booked|\.probe-[\w-]+|control\.sock)$|\/ledger\.db\.sound$|\/backing-up-\w+(?:\/|$)|\.(?:tmp|new)$/;
/** Copies and originals are removed lazily: one that comes back is found again, and known. */
const COMES_BACK = /(?:\/spool\/..\/[0-9a-f]{64}|\/inbox\/.*|\.tmp|\.new): its removal/;

const UPLOAD = /^POST \/v2\/endpoints\/[^/]+\/documents\?name=([^ ]+) /;
const ANSWER = /^HTTP\/1\.1 2\d\d /;

/** The name under which an image begins to be sent; null for other calls. */
export function nameOfUpload(call: FileCall): string | null {
  return call.kind === 'sent' ? (UPLOAD.exec(call.text)?.[1] ?? null) : null;
}

export const ORIGINAL_LEAVES =
  'an original leaves its folder when its acceptance and its place in the archive are durable';

const RULES: readonly Rule[] = [
  {
    says: 'whatever is sent, answered or printed, everything before it is durable',
    on: (call) =>
      call.kind === 'sent' && (UPLOAD.test(call.text) || ANSWER.test(call.text) || call.isOutput)
        ? call.text
        : null,
    breaches: (_, { disk }) =>
      disk.doubts((path) => !MADE_ANEW.test(path)).filter((each) => !COMES_BACK.test(each)),
  },
  {
    says: 'a file gets its name only when its contents are durable',
    on: (call, { state }) =>
      (call.kind === 'rename' || call.kind === 'link') && call.to.startsWith(state('')) ? call.to : null,
    breaches: (path, { disk }) =>
      disk.isSynced(path) || MADE_ANEW.test(path) ? [] : [`${path} was named before it was synced`],
  },
  {
    says: 'a name is in the journal before it is sent',
    on: nameOfUpload,
    breaches: (name, { disk, state }) => {
      const journal = disk.left(state('ledger.journal'), 'synced')?.toString() ?? '';
      const entries = journal.split('\n').filter((line) => line.includes(`"${name}"`));
      return entries.length > 0 ? [] : [`${name} is not in the journal`];
    },
  },
  {
    says: 'with `spool: always`, an image is in the spool before it is sent',
    on: (call, { story }) => (story.isSpooled ? nameOfUpload(call) : null),
    breaches: (name, { disk, story, state }) => {
      const sha256 = [...story.scans.keys()].find((each) => name.includes(each.slice(0, 12)));
      if (sha256 === undefined) return [`${name} is no scan`];
      return disk.left(state(`spool/${sha256.slice(0, 2)}/${sha256}`), 'synced') === null
        ? [`${name} has no copy`]
        : [];
    },
  },
  {
    says: ORIGINAL_LEAVES,
    on: (call, { story }) => {
      const inbox = story.site.file('inbox/');
      const left =
        call.kind === 'unlink' && call.path.startsWith(inbox) && basename(call.path).endsWith('.jpg');
      return left ? call.path : null;
    },
    breaches: (path, { disk, story, state }) => {
      const kept = [...disk.files('synced', story.site.file('archive')).values()];
      const journal = disk.left(state('ledger.journal'), 'synced')?.toString() ?? '';
      return [
        ...(kept.length > 0 ? [] : [`${path} is gone, and not in the archive`]),
        ...(journal.includes('"accepted"')
          ? []
          : [`${path} is gone, and its acceptance is not in the journal`]),
      ];
    },
  },
  {
    says: 'a result is in the journal before it is confirmed',
    on: (call) => (call.kind === 'sent' && call.text.startsWith('HTTP/1.1 204 ') ? '204' : null),
    breaches: (_, { disk, state }) =>
      disk.left(state('ledger.journal'), 'synced')?.includes('DONE')
        ? []
        : ['the result is not in the journal'],
  },
  {
    says: 'a result counts as passed on when the program has ended',
    on: (call, { state }) => (call.kind === 'rename' && call.to === state('results-handed') ? call.to : null),
    breaches: (path, { disk, story, state }) => {
      const content = disk.left(path, 'all')?.toString() ?? '';
      // A restore puts back a copy, whose content the trace does not show.
      if (content === '') return [];
      const last = parseInt(content, 10);
      const { entries } = readJournal(disk.left(state('ledger.journal'), 'all')?.toString() ?? '');
      const handed = entries.filter(({ kind, seq }) => kind === 'result' && seq <= last).length;
      const booked = disk.left(story.site.file('booked'), 'all')?.toString().split('\n').length ?? 1;
      return handed <= booked - 1 ? [] : [`${handed} results count as passed on, and ${booked - 1} were`];
    },
  },
  {
    says: 'what was erased is nowhere when the answer is given',
    on: (call) =>
      call.kind === 'sent' && call.isOutput && call.text.startsWith('Erased ') ? 'erased' : null,
    breaches: (_, { disk, state }) =>
      (['synced', 'all'] as const).flatMap((left) =>
        [...disk.files(left, state('')).keys()].flatMap((path) => {
          const isTables = left === 'synced' && /ledger\.db/.test(path);
          const bytes = disk.left(path, left);
          return bytes?.includes(PERSONAL) === true && !path.includes('/logs/') && !isTables
            ? [`${path} holds what was erased (${left})`]
            : [];
        }),
      ),
  },
];

export interface Judged {
  readonly breaches: readonly string[];
  /** How often each rule applied: one that never did proves nothing. */
  readonly applied: ReadonlyMap<string, number>;
}

export function judge(story: Story): Judged {
  const disk = new Disk(story.site.dir);
  const state = (name: string): string => `${story.site.stateDir}/${name}`.replace(/\/$/, '');
  const moment: Moment = { disk, story, state };
  const applied = new Map(RULES.map(({ says }) => [says, 0]));
  const breaches: string[] = [];
  for (const call of story.calls) {
    disk.apply(call);
    for (const { says, on, breaches: of } of RULES) {
      const subject = on(call, moment);
      if (subject === null) continue;
      applied.set(says, (applied.get(says) ?? 0) + 1);
      for (const each of of(subject, moment))
        breaches.push(`${says}: ${each.replaceAll(story.site.dir, '')} [${subject.slice(0, 60)}]`);
    }
  }
  return { breaches, applied };
}
