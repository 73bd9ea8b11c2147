import { escapeUnsafe } from '../core/domain/escape.ts';

/** A file name can carry line breaks and terminal commands; people see them as escapes. */
export const printable = escapeUnsafe;
