import { describe, expect, test } from 'vitest';
import { controlSocketPath, reachable } from '../../src/control/socketPath.ts';

describe('the address of the daemon', () => {
  test('is a socket in the state directory on Linux and macOS', () => {
    expect(controlSocketPath('/var/lib/receiptd', 'linux')).toBe('/var/lib/receiptd/control.sock');
    expect(controlSocketPath('/var/lib/receiptd/', 'darwin')).toBe('/var/lib/receiptd/control.sock');
  });

  test('is a named pipe on Windows, one for each state directory', () => {
    const pipe = controlSocketPath(String.raw`C:\ProgramData\receiptd`, 'win32');
    expect(pipe).toMatch(/^\\\\\.\\pipe\\receiptd-[0-9a-f]{16}$/);
    expect(controlSocketPath('c:/programdata/RECEIPTD/', 'win32')).toBe(pipe);
    expect(controlSocketPath(String.raw`C:\ProgramData\other`, 'win32')).not.toBe(pipe);
  });

  test('is refused on macOS if the system would truncate the path', async () => {
    const longest = `/${'d'.repeat(102)}`;
    expect((await reachable(longest, 'darwin')).address).toBe(longest);
    await expect(reachable(`${longest}d`, 'darwin')).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringContaining('104 bytes'),
      hint: expect.stringContaining('stateDir'),
    });
    await expect(reachable(`/${'é'.repeat(52)}`, 'darwin')).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });
});
