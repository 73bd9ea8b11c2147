import { escapeUnsafe } from '../core/domain/escape.ts';

/** Escapes line breaks and terminal control characters, which file names can contain. */
export const printable = escapeUnsafe;
