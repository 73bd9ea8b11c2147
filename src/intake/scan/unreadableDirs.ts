/**
 * Directories of one folder that can't be listed, with the system's error code. Every listing tries them again; one that is listed,
 * or that a listing of the whole folder does not meet, is forgotten.
 */
export class UnreadableDirs {
  readonly #onChange: (directories: ReadonlyMap<string, string>) => void;
  readonly #known = new Map<string, string>();

  constructor(onChange: (directories: ReadonlyMap<string, string>) => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Begins a listing of `under` and what is below it; '' is the whole folder. */
  listing(under: string): { met(path: string, code: string): void; over(): void } {
    const met = new Map<string, string>();
    return {
      met: (path, code) => {
        met.set(path, code);
        if (this.#known.get(path) === code) return;
        this.#known.set(path, code);
        this.#onChange(this.#known);
      },
      over: () => {
        const size = this.#known.size;
        for (const path of this.#known.keys()) {
          const isBelow = under === '' || path === under || path.startsWith(`${under}/`);
          if (isBelow && !met.has(path)) this.#known.delete(path);
        }
        if (this.#known.size < size) this.#onChange(this.#known);
      },
    };
  }
}
