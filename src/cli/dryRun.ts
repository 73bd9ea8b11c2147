import { hostname } from 'node:os';
import { composeFolders } from '../compose/folders.ts';
import { clock, composeInspector } from '../compose/machine.ts';
import type { Config } from '../config/config.ts';
import { foresee, type Foreseen } from '../pipeline/foresee.ts';
import { colorsFor, print, type Io } from './io.ts';
import { openReportsIfThere } from './session.ts';
import { printable } from './printable.ts';
import { table } from './table.ts';

/** What `run` would do now with what lies in the folders. Sends, records and creates nothing. */
export async function dryRun(io: Io, config: Config): Promise<void> {
  const reports = await openReportsIfThere(config);
  try {
    const open = composeFolders(config);
    const inspector = composeInspector();
    const rows: string[][] = [];
    const totals = new Map<string, number>();
    const seen = new Map<string, string>();
    for (const settings of config.folders) {
      const deps = {
        folder: open(settings.path),
        settings,
        reports,
        inspector,
        clock,
        host: hostname(),
        seen,
      };
      const state = await deps.folder.availability();
      if (state.state !== 'present') {
        rows.push(['wait', '—', printable(settings.path), printable(state.message)]);
        continue;
      }
      for await (const found of foresee(deps, io.stop)) {
        totals.set(found.would, (totals.get(found.would) ?? 0) + 1);
        if (found.would !== 'nothing' || found.why !== null) rows.push(rowOf(found));
      }
    }
    if (rows.length > 0) {
      const [head = '', ...lines] = table(['WOULD', 'NAME', 'FILE', 'WHY'], rows).split('\n');
      print(io, [colorsFor(io, io.stdout).bold(head), ...lines].join('\n'));
    }
    const sum = [...totals].map(([would, count]) => `${count} ${would}`).join(', ');
    print(io, `${sum === '' ? 'No files' : sum}. Nothing was sent or recorded.`);
  } finally {
    await reports?.close();
  }
}

function rowOf({ would, name, path, why }: Foreseen): string[] {
  return [would, printable(name ?? '—'), printable(path), printable(why ?? '')];
}
