import { hostname } from 'node:os';
import { composeFolders } from '../wiring/folders.ts';
import { createImageInspector } from '../wiring/imageInspector.ts';
import { systemClock as clock } from '../system/systemClock.ts';
import type { Config } from '../config/config.ts';
import { countIn } from '../control/queries/overview.ts';
import { endpointId } from '../core/domain/document.ts';
import { counted } from '../core/domain/words.ts';
import { foresee, type DryRunFile } from '../intake/dryRun.ts';
import type { StateCount } from '../core/ports/ledgerReports.ts';
import { print, printTable, type Io } from './io.ts';
import { openReportsIfThere } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { table } from './table.ts';

const WORDS: Readonly<Record<DryRunFile['would'], string>> = {
  send: 'to send',
  nothing: 'already recorded',
  duplicate: 'identical to another image',
  reject: "that can't be sent",
  skip: 'to skip',
  wait: 'to wait for',
};

/** Prints what `run` would do with the files in the folders now. Sends, records and creates nothing. */
export async function dryRun(io: Io, config: Config): Promise<void> {
  const reports = await openReportsIfThere(config);
  try {
    const open = composeFolders(config);
    const inspector = createImageInspector();
    const rows: string[][] = [];
    const totals = new Map<DryRunFile['would'], number>();
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
        rows.push(['wait', '—', escapeUnsafe(settings.path), escapeUnsafe(state.message)]);
        continue;
      }
      for await (const found of foresee(deps, io.stop)) {
        totals.set(found.would, (totals.get(found.would) ?? 0) + 1);
        if (found.would !== 'nothing' || found.why !== null) rows.push(rowOf(found));
      }
    }
    if (rows.length > 0) printTable(io, table(['WOULD', 'NAME', 'FILE', 'WHY'], rows));
    const sum = [...totals].map(([would, count]) => `${count} ${WORDS[would]}`).join(', ');
    const waiting = reports === null ? [] : queuedLines(await reports.counts(), config);
    print(io, [...waiting, `${sum === '' ? 'No files' : sum}. Nothing was sent or recorded.`].join('\n'));
  } finally {
    await reports?.close();
  }
}

/** Documents queued by earlier runs, which would be sent too. */
function queuedLines(counts: readonly StateCount[], config: Config): string[] {
  const known = new Set(config.endpoints.map(({ key }) => endpointId(key)));
  const own = counts.filter(({ endpoint }) => endpoint !== null && known.has(endpointId(endpoint)));
  const [queued, held] = [countIn(own, ['queued', 'uploading']), countIn(own, ['held'])];
  return [
    ...(queued > 0
      ? [`${counted(queued, 'queued document', 'queued documents')} would be sent as well.`]
      : []),
    ...(held > 0
      ? [`${counted(held, 'document is', 'documents are')} on hold; \`receiptd status\` says why.`]
      : []),
  ];
}

function rowOf({ would, name, path, why }: DryRunFile): string[] {
  return [would, escapeUnsafe(name ?? '—'), escapeUnsafe(path), escapeUnsafe(why ?? '')];
}
