import { join } from 'node:path';
import { expect } from 'vitest';
import type { Config, LoadContext } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { isOfSettings } from '../../src/core/domain/invalidSettings.ts';

export const FILE = '/etc/receiptd/receiptd.yaml';

export function context(overrides: Partial<LoadContext> = {}): LoadContext {
  return { env: {}, platform: 'linux', home: '/home/ann', cwd: '/place', isRoot: false, ...overrides };
}

/** A valid config with these sections in place of its own. */
export function yaml(
  sections: { service?: string; endpoints?: string; folders?: string; more?: string } = {},
): string {
  return [
    `service: ${sections.service ?? '{ baseUrl: https://api.example.com }'}`,
    `endpoints: ${sections.endpoints ?? '{ office: { uid: u-1 } }'}`,
    `folders: ${sections.folders ?? '[{ path: /srv/scans }]'}`,
    sections.more ?? '',
  ].join('\n');
}

export function parse(text: string, overrides: Partial<LoadContext> = {}, file = FILE): Config {
  return parseConfig(text, file, context(overrides));
}

export function refusal(text: string, overrides: Partial<LoadContext> = {}, file = FILE): ReceiptdError {
  try {
    parse(text, overrides, file);
  } catch (error) {
    expect(error).toBeInstanceOf(ReceiptdError);
    if (error instanceof ReceiptdError) return error;
  }
  throw new Error(`Nothing is wrong with:\n${text}`);
}

/** What is wrong with which setting, in order; `at`: line and column. */
export function problemsOf(text: string, overrides: Partial<LoadContext> = {}, file = FILE) {
  const error = refusal(text, overrides, file);
  if (!isOfSettings(error)) throw error;
  return error.params.problems.map(({ key, line, col, flaw }) => ({ at: `${line}:${col}`, key, ...flaw }));
}

/** A valid config file with these sections, whose state is in `dir`. */
export function textIn(dir: string, sections: object): string {
  return JSON.stringify({
    service: { baseUrl: 'http://127.0.0.1:9' },
    endpoints: { office: { uid: 'office' } },
    folders: [{ path: join(dir, 'scans') }],
    stateDir: join(dir, 'state'),
    ...sections,
  });
}

/** The config of `textIn`, as that file in `dir`, for this platform. */
export function configIn(dir: string, sections: object = {}): Config {
  const overrides = { platform: process.platform, home: dir, cwd: dir };
  return parse(textIn(dir, sections), overrides, join(dir, 'receiptd.yaml'));
}
