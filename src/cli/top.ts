import type { Command } from './command.ts';
import { systemClock as clock } from '../system/systemClock.ts';
import type { Config } from '../config/config.ts';
import { countIn } from '../control/queries/overview.ts';
import { parseDuration } from '../config/units.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { colorsFor, isTerminal, type Colors, type Io } from './io.ts';
import { look, type Overview } from './overview.ts';
import type { Screen } from './screen.ts';
import { configOf, type ConfigOption } from './session.ts';
import { statusLines } from './statusText.ts';
import { textsOf } from './language.ts';
import type { CliTexts } from '../texts/cli.ts';
import { Throughput } from './throughput.ts';

const LEAST_MS = 200;
const BARS = 40;
/** `q`, Ctrl-C, Ctrl-D. */
const QUIT: readonly string[] = ['q', 'Q', '\x03', '\x04'];

export function addTop(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { help, option, status130 } = io.texts;
  program
    .command('top')
    .description(help.top.about)
    .option('--config <file>', option.config)
    .option('--every <duration>', help.top.every, '2s')
    .explain({ examples: ['top', 'top --every 10s'], statuses: status130 })
    .action(async (options: ConfigOption & { readonly every: string }) => {
      const config = await configOf(io, options);
      const everyMs = intervalOf(options.every);
      if (!isTerminal(io.stdin) || !isTerminal(io.stdout) || io.env['TERM'] === 'dumb') {
        throw new ReceiptdError('USAGE.topNeedsTerminal');
      }
      // Loaded on demand: the character width tables take longer to load than everything else.
      const { Screen } = await import('./screen.ts');
      done(await watch(io, config, everyMs, new Screen(io)));
    });
}

async function watch(io: Io, config: Config, everyMs: number, screen: Screen): Promise<ExitStatus> {
  const colors = colorsFor(io, io.stdout);
  const throughput = new Throughput();
  const texts = { ...(await textsOf(io)), cli: io.texts };
  const quit = new AbortController();
  const stop = AbortSignal.any([io.stop, quit.signal]);
  let lines: string[] = [];
  try {
    screen.onKey((key) => {
      if (QUIT.includes(key)) quit.abort();
    });
    screen.onResize(() => screen.draw(lines));
    while (!stop.aborted) {
      const overview = await look(config);
      throughput.add(clock.monotonic(), countIn(overview.counts, ['accepted']));
      lines = [
        ...paceLines(overview, throughput, colors, io.texts),
        '',
        ...statusLines(config, overview, colors, texts),
        '',
        colors.dim(io.texts.top.quit),
      ];
      screen.draw(lines);
      await clock.sleep(everyMs, stop).catch(() => {});
    }
    return io.stop.aborted ? EXIT.interrupted : EXIT.ok;
  } finally {
    screen.close();
  }
}

function paceLines(
  overview: Overview,
  throughput: Throughput,
  colors: Colors,
  { top, format: { time } }: CliTexts,
): string[] {
  const perMinute = throughput.perMinute();
  const waiting = countIn(overview.counts, ['queued', 'uploading']);
  const ms = throughput.forecast(waiting);
  const pace =
    perMinute === null ? top.measuring : `${top.perMinute(rounded(perMinute))} ${throughput.bars(BARS)}`;
  const held = countIn(overview.counts, ['held']);
  const rest = held === 0 ? '' : ` ${top.held(held)}`;
  return [
    `${colors.bold(time(overview.now))}  ${pace}`,
    `${forecastText(top, waiting, perMinute, ms)}${rest}`,
  ];
}

function rounded(perMinute: number): number {
  return perMinute < 10 ? Math.round(perMinute * 10) / 10 : Math.round(perMinute);
}

function forecastText(
  top: CliTexts['top'],
  waiting: number,
  perMinute: number | null,
  ms: number | null,
): string {
  if (waiting === 0) return top.empty;
  if (ms !== null) return top.emptyIn(waiting, ms);
  return perMinute === null ? top.noEstimateYet(waiting) : top.noEstimate(waiting);
}

function intervalOf(text: string): number {
  const ms = parseDuration(text);
  if (ms >= LEAST_MS) return ms;
  throw new ReceiptdError('USAGE.topInterval', { given: text, leastMs: LEAST_MS });
}
