/** The section `console` of the configuration. */
export interface ConsoleSettings {
  readonly listen: 'onDemand' | 'off' | { readonly host: string; readonly port: number };
  /** Absolute paths of PEM files. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Further names by which browsers may call, in lower case, with a port or without. */
  readonly hosts: readonly string[];
}
