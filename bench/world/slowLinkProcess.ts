import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface SlowLink {
  readonly url: string;
  close(): Promise<void>;
}

export interface SlowLinkOptions {
  /** Port of the service at its end. */
  readonly port: number;
  readonly bytesPerSecond: number;
  readonly roundTripMs: number;
}

const PROGRAM = fileURLToPath(new URL('./slowLink.js', import.meta.url));

/** Starts a slow link as a child process. */
export async function startSlowLink({
  port,
  bytesPerSecond,
  roundTripMs,
}: SlowLinkOptions): Promise<SlowLink> {
  const args = ['--to', port, '--bytes-per-second', bytesPerSecond, '--round-trip', roundTripMs].map(String);
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: `http://127.0.0.1:${Number(said.toString().trim())}`,
    close: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}
