/** The agent's own log, for live views. Each line is a JSON object without secrets. */
export interface LogLines {
  /** The last few hundred lines, oldest first. */
  recent(): readonly string[];
  /** Calls `onLine` with each new line; it must not throw. @returns a function that unsubscribes */
  subscribe(onLine: (line: string) => void): () => void;
}
