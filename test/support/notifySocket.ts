import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { requirement } from './requires.ts';

/** A datagram socket like systemd's, which Node can't create: prints each datagram as one line of JSON. */
const RECEIVER = `
import array, json, os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print(json.dumps("open"), flush=True)
while True:
    data, rights, _, _ = s.recvmsg(65536, 4096)
    print(json.dumps(data.decode()), flush=True)
    # The sender waits until its end of a pipe is let go: what it sent before has been taken then.
    for _, _, sent in rights:
        for each in array.array("i", sent):
            os.close(each)
`;

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const canNotify =
  requirement('systemd-notify', isThere('systemd-notify'), 'apt install systemd') &&
  requirement('python3', isThere('python3'), 'apt install python3');

export interface NotifySocket {
  readonly path: string;
  /** All assignments so far, in order. */
  readonly said: string[];
  close(): void;
}

export async function openNotifySocket(path: string): Promise<NotifySocket> {
  const child = spawn('python3', ['-c', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    createInterface(child.stdout).on('line', (line) => {
      const assignments = String(JSON.parse(line)).split('\n').filter(Boolean);
      if (existsSync(path)) resolve();
      said.push(...assignments.filter((each) => each !== 'open' && each !== 'BARRIER=1'));
    });
  });
  return { path, said, close: () => void child.kill('SIGKILL') };
}
