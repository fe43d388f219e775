/** Starts real servers for tests. `INTERMEZZO_BIN` is the path of the binary. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface TestServer {
  url: string;
  stop(): Promise<void>;
  /** Kills the process without a shutdown, as a power failure would. */
  kill(): Promise<void>;
}

export function binaryPath(): string {
  const path = process.env['INTERMEZZO_BIN'];
  if (!path)
    throw new Error('set INTERMEZZO_BIN to the path of the `intermezzo` binary; `cargo xtask check` does that');
  return path;
}

/** Starts a server with these flags; by default it keeps data in memory, picks a free port and has no rate limits. */
export function serve(...flags: string[]): Promise<TestServer> {
  const memory = flags.includes('--data') || flags.includes('--memory') ? [] : ['--memory'];
  const listen = flags.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const rateLimits = ['--account-per-second', '--address-per-second', '--accounts-per-minute', '--frames-per-second'];
  const limits = rateLimits.flatMap((flag) => [flag, '100000']);
  return start('serve', ...memory, ...listen, ...limits, ...flags);
}

/** Starts the playground for a folder. */
export function servePlayground(folder: string): Promise<TestServer> {
  return start('dev', folder, '--port', '0', '--no-open');
}

async function start(...args: string[]): Promise<TestServer> {
  const child = spawn(binaryPath(), args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RUST_LOG: 'warn' },
  });
  const lines = createInterface({ input: child.stdout });
  const ready = once(lines, 'line') as Promise<[string]>;
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the server did not start')));
  const [line] = await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  const url = /http:\/\/[^\s/]+/.exec(line)?.[0];
  if (!url) throw new Error(`unexpected output of the server: ${line}`);
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
