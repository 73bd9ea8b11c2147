import { hostname } from 'node:os';
import { composeFolders } from '../wiring/folders.ts';
import { createImageInspector } from '../wiring/imageInspector.ts';
import { systemClock as clock } from '../system/systemClock.ts';
import type { Config } from '../config/config.ts';
import { countIn } from '../control/queries/overview.ts';
import { endpointId } from '../core/domain/document.ts';
import type { CliTexts } from '../texts/cli.ts';
import { foresee, type DryRunFile } from '../intake/dryRun.ts';
import type { StateCount } from '../core/ports/ledgerReports.ts';
import { print, printTable, type Io } from './io.ts';
import { openReportsIfThere } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { table } from './table.ts';
import type { WhyFact } from '../core/domain/why.ts';
import { whyWords } from '../texts/explain.ts';
import { textsOf } from './language.ts';

/** Prints what `run` would do with the files in the folders now. Sends, records and creates nothing. */
export async function dryRun(io: Io, config: Config): Promise<void> {
  const reports = await openReportsIfThere(config);
  try {
    const open = composeFolders(config);
    const inspector = createImageInspector();
    const texts = await textsOf(io);
    const said = (fact: WhyFact): string => whyWords(texts, { message: fact.is, fact });
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
        rows.push(['wait', '—', escapeUnsafe(settings.path), escapeUnsafe(said(state.why))]);
        continue;
      }
      for await (const found of foresee(deps, io.stop)) {
        totals.set(found.would, (totals.get(found.would) ?? 0) + 1);
        if (found.would !== 'nothing' || found.why !== null)
          rows.push(rowOf(found, found.why === null ? '' : said(found.why)));
      }
    }
    const { dryRun: words, format } = io.texts;
    const { would, name, file, why } = words.columns;
    if (rows.length > 0) printTable(io, table([would, name, file, why], rows));
    const sums = [...totals].map(([each, count]) => `${format.number(count)} ${words.sums[each]}`);
    const waiting = reports === null ? [] : queuedLines(await reports.counts(), config, words);
    const sum = sums.length === 0 ? words.none : sums.join(', ');
    print(io, [...waiting, `${sum}. ${words.nothingDone}`].join('\n'));
  } finally {
    await reports?.close();
  }
}

/** Documents queued by earlier runs, which would be sent too. */
function queuedLines(counts: readonly StateCount[], config: Config, words: CliTexts['dryRun']): string[] {
  const known = new Set(config.endpoints.map(({ key }) => endpointId(key)));
  const own = counts.filter(({ endpoint }) => endpoint !== null && known.has(endpointId(endpoint)));
  const [queued, held] = [countIn(own, ['queued', 'uploading']), countIn(own, ['held'])];
  return [...(queued > 0 ? [words.queued(queued)] : []), ...(held > 0 ? [words.held(held)] : [])];
}

function rowOf({ would, name, path }: DryRunFile, why: string): string[] {
  return [would, escapeUnsafe(name ?? '—'), escapeUnsafe(path), escapeUnsafe(why)];
}
