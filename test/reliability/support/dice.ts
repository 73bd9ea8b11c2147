/** Random numbers that are the same for the same seed: sfc32, seeded by hashing the text (FNV-1a). */
export class Dice {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: string | number) {
    const text = String(seed);
    this.#a = fnv(`a${text}`);
    this.#b = fnv(`b${text}`);
    this.#c = fnv(`c${text}`);
    for (let warmUp = 0; warmUp < 12; warmUp += 1) this.next();
  }

  /** A number in [0, 1). */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  /** An integer from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('There is nothing to pick from.');
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** One of the keys, with a probability in proportion to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries<number>(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0 && weight > 0) return key;
    }
    return (entries.findLast(([, weight]) => weight > 0) ?? entries[0]!)[0];
  }

  shuffled<T>(list: readonly T[]): T[] {
    const all = [...list];
    for (let last = all.length - 1; last > 0; last -= 1) {
      const other = this.int(0, last);
      [all[last], all[other]] = [all[other]!, all[last]!];
    }
    return all;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.int(0, 255);
    return bytes;
  }

  /** An independent source that depends only on this seed and `name`, however much was drawn from this one before. */
  static of(seed: string | number, name: string): Dice {
    return new Dice(`${seed}/${name}`);
  }
}

function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}
