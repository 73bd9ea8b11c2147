/** What a scenario is given. */
export interface Bench {
  /** Two minutes for all scenarios: fewer files, fewer runs; the figures say so. */
  readonly quick: boolean;
  /** A directory of its own on a local disk, removed afterwards. */
  readonly scratch: string;
  readonly say: (line: string) => void;
}

/** One measured figure, with its name in `history.jsonl` unique in its scenario. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ratio' | 's' | 'ms' | 'MB' | '%' | '/s' | 'count' | 'MB/s' | 'kB';
  /** Best first: `less` where a smaller figure is the better one. `null`: neither, it only describes. */
  readonly better: 'less' | 'more' | null;
  /** What it should reach. */
  readonly target?: number;
  readonly note?: string;
}

export interface Findings {
  readonly figures: readonly Figure[];
  /** Peers and parts that the machine lacks, one sentence each. */
  readonly skipped: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<Findings>;
}
