import { parseTemplate, type NameContext } from '../../../src/core/domain/nameTemplate.ts';

export const HASH = '0123456789abcdef'.repeat(4);

export function context(more: Partial<NameContext> = {}): NameContext {
  return {
    folder: '/srv/scans',
    path: 'front desk/SCAN0001.jpg',
    hash: HASH,
    host: 'till-3',
    endpoint: 'office',
    date: new Date(2026, 10, 21, 4, 53, 7),
    captured: new Date(2025, 0, 2, 13, 14, 15),
    maxBytes: 300,
    ...more,
  };
}

/** The first proposed name. */
export function first(template: string, more: Partial<NameContext> = {}, seq = 1): string {
  return parseTemplate(template).propose(context(more), seq)[0]!;
}
