/** A real server for tests. `INTERMEZZO_BIN` says which program. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Served {
  url: string;
  stop(): Promise<void>;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
}

/** The program under test. */
export function program(): string {
  const path = process.env['INTERMEZZO_BIN'];
  if (!path) throw new Error('INTERMEZZO_BIN has to name the program `intermezzo`; `cargo xtask check` does that');
  return path;
}

/** Starts a server with these flags; unless they say otherwise it forgets everything and listens anywhere. */
export function serve(...flags: string[]): Promise<Served> {
  const memory = flags.includes('--data') || flags.includes('--memory') ? [] : ['--memory'];
  const listen = flags.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const generous = ['--account-per-second', '--address-per-second', '--accounts-per-minute', '--frames-per-second'];
  const limits = generous.flatMap((flag) => [flag, '100000']);
  return started('serve', ...memory, ...listen, ...limits, ...flags);
}

/** The playground of a folder. */
export function workshop(folder: string): Promise<Served> {
  return started('dev', folder, '--port', '0', '--no-open');
}

async function started(...args: string[]): Promise<Served> {
  const child = spawn(program(), args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RUST_LOG: 'warn' },
  });
  const lines = createInterface({ input: child.stdout });
  const ready = once(lines, 'line') as Promise<[string]>;
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the server does not start')));
  const [line] = await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  const url = /http:\/\/[^\s/]+/.exec(line)?.[0];
  if (!url) throw new Error(`the server says: ${line}`);
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
