/** Parameters of a scenario run. */
export interface Bench {
  /** Fewer files and runs, two minutes for all scenarios; the history marks such figures. */
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
  /** The value it should reach. */
  readonly target?: number;
  readonly note?: string;
}

export interface Findings {
  readonly figures: readonly Figure[];
  /** Peers and software that the machine lacks, one sentence each. */
  readonly skipped: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<Findings>;
}
