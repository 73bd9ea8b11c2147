import type { GapFact } from '../../../core/domain/why.ts';

/**
 * What seems to be missing from a file whose bytes are all there, but not as its format requires. If it is at rest, a decoder may still
 * read the whole image.
 */
export interface Doubt {
  readonly doubt: GapFact;
}
