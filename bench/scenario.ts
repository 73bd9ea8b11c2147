/** Parameters of a scenario run. */
export interface Bench {
  /** Fewer files and runs; all scenarios take two minutes. The history marks such figures. */
  readonly quick: boolean;
  /** A private directory on a local disk, removed afterwards. */
  readonly scratch: string;
  readonly say: (line: string) => void;
}

/** One measured figure; its name is unique within the scenario. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ratio' | 's' | 'ms' | 'MB' | '%' | '/s' | 'count' | 'MB/s' | 'kB';
  /** `less` if smaller is better; null if the figure only describes. */
  readonly better: 'less' | 'more' | null;
  /** The value that it should reach. */
  readonly target?: number;
  readonly note?: string;
}

export interface Findings {
  readonly figures: readonly Figure[];
  /** One sentence for each peer or software that the machine lacks. */
  readonly skipped: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<Findings>;
}
