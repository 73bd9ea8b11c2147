import { spawn } from 'node:child_process';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { run } from '../../system/programs.ts';

/** The machine, as far as a service manager needs it. */
export interface Host {
  readonly platform: NodeJS.Platform;
  /** User id of the caller; null on Windows. */
  readonly uid: number | null;
  readonly userName: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory of system definitions; defaults to the manager's own. */
  readonly definitionsDir?: string;
  /** Directories in which systemd looks for credentials; defaults to its own. */
  readonly credentialStores?: readonly string[];
}

/** Runs a program that inherits the terminal. @returns its exit status, null if a signal ended it */
export function runVisibly(
  [program = '', ...args]: readonly string[],
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: 'inherit', signal, killSignal: 'SIGTERM' });
    child.once('error', (error) => {
      if (signal.aborted) return resolve(null);
      reject(
        new ReceiptdError('MANAGER_ABSENT.program', { program, detail: systemCode(error) ?? String(error) }),
      );
    });
    child.once('close', (status) => resolve(status));
  });
}

/** Runs a program that must succeed. `creates`: the user that it would create. @throws ReceiptdError MANAGER_FAILED with the program's own message */
export async function demand(
  command: readonly string[],
  options: { env: NodeJS.ProcessEnv; limitMs?: number; creates?: string },
): Promise<string> {
  const { status, stdout, stderr, why } = await run(command, options);
  if (status === 0) return stdout;
  const words = [stderr, stdout]
    .map((text) => text.trim().replace(/\s*\n\s*/g, ' '))
    .find((text) => text !== '');
  throw new ReceiptdError('MANAGER_FAILED.command', {
    command: command.join(' '),
    isLate: why === 'ETIMEDOUT',
    detail: (words ?? why)?.replace(/\.$/, '') ?? null,
    status,
    creates: options.creates ?? null,
  });
}
