import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isEdited } from '../../../src/features/os-service/mark.ts';
import { launchdPlist } from '../../../src/features/os-service/launchd/plist.ts';
import { requirement } from '../../support/requires.ts';
import { anAgent } from './agents.ts';

const hasPython = requirement(
  'python3',
  spawnSync('python3', ['--version']).status === 0,
  'Debian package python3',
);

/** Reads with an independent parser of property lists. */
function read(plist: string): unknown {
  const code = 'import plistlib, json, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  return JSON.parse(execFileSync('python3', ['-c', code], { input: plist, encoding: 'utf8' }));
}

describe('a launchd job', () => {
  it.skipIf(!hasPython)('contains the command word for word, whatever characters it has', () => {
    const configFile = `/Users/Shared/a & b <c> "d" 'e' -- é.yaml`;
    const plist = launchdPlist(
      anAgent({ configFile, environment: { RECEIPTD_STATE_DIR: '/a&b' } }),
      '_receiptd',
    );
    expect(read(plist)).toEqual({
      Label: 'receiptd',
      ProgramArguments: [
        '/usr/bin/node',
        '/usr/lib/receiptd/dist/receiptd.cjs',
        'run',
        '--config',
        configFile,
      ],
      UserName: '_receiptd',
      EnvironmentVariables: { RECEIPTD_STATE_DIR: '/a&b' },
      WorkingDirectory: '/',
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ExitTimeOut: 50,
      Umask: 18,
      HardResourceLimits: { Core: 0 },
      ProcessType: 'Standard',
    });
    expect(isEdited(plist)).toBe(false);
    expect(isEdited(plist.replace('<integer>10<', '<integer>11<'))).toBe(true);
  });

  it('of a user contains no user name', () => {
    expect(launchdPlist(anAgent(), null)).not.toContain('UserName');
  });

  it('is refused if a value contains a line break', () => {
    expect(() => launchdPlist(anAgent({ configFile: '/a\nb' }), null)).toThrow(
      expect.objectContaining({ code: 'INSTALL_REFUSED' }),
    );
  });
});
