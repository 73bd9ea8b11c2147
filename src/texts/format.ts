import { faultOf } from './fault.ts';
import type { Language } from './language.ts';
import { asWord, ended, isTemporary, phrase, settingLines } from './phrase.ts';
import { needsIn, type Needs, type Unsent } from './needs.ts';

/** Numbers and times as texts show them. */
export interface Format {
  readonly number: (value: number) => string;
  /** `more`: additional plural forms, by plural rule, for languages that need more than two. */
  readonly counted: (value: number, one: string, other: string, more?: Forms) => string;
  /** The word alone, without the number. */
  readonly plural: (value: number, one: string, other: string, more?: Forms) => string;
  readonly bytes: (value: number) => string;
  /** The two largest units: "2 hours 5 minutes". */
  readonly duration: (ms: number) => string;
  readonly time: (at: number | string) => string;
  /** These are here so that the languages of the console share no file. */
  readonly needsIn: (unsent: Unsent) => Needs;
  readonly phrase: typeof phrase;
  readonly ended: typeof ended;
  readonly asWord: typeof asWord;
  readonly isTemporary: typeof isTemporary;
  readonly settingLines: typeof settingLines;
  readonly faultOf: typeof faultOf;
}

export type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** `locale`: the language with a region, which determines the formats; `time`: how times are shown there. */
export function formatOf(language: Language, time: Format['time'], locale: string = language): Format {
  // Made when they are needed: the first use of Intl takes 12 ms, and many texts have no number.
  const numbers = lazy(() => new Intl.NumberFormat(locale));
  const rules = lazy(() => new Intl.PluralRules(language));
  const number = (value: number): string => numbers().format(value);
  const plural: Format['plural'] = (value, one, other, more = {}) => {
    const rule = rules().select(value);
    return more[rule] ?? (rule === 'one' ? one : other);
  };
  const unit = (value: number, name: string): string => {
    const unitDisplay = name === 'millisecond' ? 'short' : 'long';
    return new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay }).format(value);
  };
  return {
    number,
    plural,
    time,
    needsIn: (unsent) => needsIn(unsent, number),
    phrase,
    ended,
    asWord,
    isTemporary,
    settingLines,
    faultOf,
    counted: (value, ...forms) => `${number(value)} ${plural(value, ...forms)}`,
    bytes(value) {
      const power = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), UNITS.length - 1);
      const scaled = value / 1000 ** power;
      return new Intl.NumberFormat(locale, {
        style: 'unit',
        unit: UNITS[power] ?? 'byte',
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: scaled < 10 && power > 0 ? 1 : 0,
      }).format(scaled);
    },
    duration(ms) {
      const round = ms < 1000 ? 0 : Math.round(ms / 1000) * 1000;
      const at = SPANS.findIndex(([, span]) => round >= span);
      const [first, second] = [SPANS[at], SPANS[at + 1]];
      if (first === undefined) return unit(ms < 1 ? 0 : Math.round(ms), 'millisecond');
      const whole = Math.floor(round / first[1]);
      const rest = second === undefined ? 0 : Math.floor((round % first[1]) / second[1]);
      return rest === 0 || second === undefined
        ? unit(whole, first[0])
        : `${unit(whole, first[0])} ${unit(rest, second[0])}`;
    },
  };
}

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
