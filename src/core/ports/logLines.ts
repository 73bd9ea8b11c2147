/** The agent's own log, for those who look on. Lines are JSON objects, one each, free of secrets. */
export interface LogLines {
  /** The last few hundred, oldest first. */
  recent(): readonly string[];
  /** Called with each line from now on; must not throw. @returns what ends that */
  subscribe(onLine: (line: string) => void): () => void;
}
