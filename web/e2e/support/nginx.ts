/** Runs a real nginx with a site from `deploy/nginx` in front of a test server. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { serve, type TestServer } from '../../sdk/test/test-server.ts';

const SITES = fileURLToPath(new URL('../../../deploy/nginx/', import.meta.url));
/** nginx is in `/usr/sbin` on many systems, which is not on every user's path. */
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };

/** False where nginx is missing; `cargo xtask check services` installs it if it can. */
export const hasNginx = spawnSync('nginx', ['-v'], { env: environment }).status === 0;

type Site = 'cluster' | 'one-server';

/** Starts a server that trusts the proxy, and nginx before it. Only addresses and certificates of the site change. */
export async function serveThroughNginx(site: Site): Promise<TestServer> {
  const server = await serve('--trusted-proxy', '127.0.0.1');
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'intermezzo-nginx-'));
  mkdirSync(join(folder, 'intermezzo'));
  copyFileSync(join(SITES, 'proxy.conf'), join(folder, 'intermezzo/proxy.conf'));
  writeFileSync(join(folder, 'site.conf'), withAddresses(site, new URL(server.url).host, port, folder));
  writeFileSync(join(folder, 'nginx.conf'), mainConfig(folder));
  if (site === 'one-server') makeCertificate(folder);
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: environment,
  });
  const url = `${site === 'one-server' ? 'https' : 'http'}://localhost:${port}`;
  await waitForPort(port);
  const end = async (stopServer: () => Promise<void>) => {
    const exited = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
    await stopServer();
  };
  return { url, stop: () => end(server.stop), kill: () => end(server.kill) };
}

/** Returns the site with the addresses of this test. Fails if the site no longer contains what is replaced. */
function withAddresses(site: Site, backend: string, port: number, folder: string): string {
  let text = readFileSync(join(SITES, `${site}.conf`), 'utf8');
  const replace = (old: string, replacement: string) => {
    if (!text.includes(old)) throw new Error(`deploy/nginx/${site}.conf does not contain "${old}"`);
    text = text.replaceAll(old, replacement);
  };
  if (site === 'cluster') {
    // Only newer versions of nginx follow names whose addresses change.
    replace('server server:8080 resolve;', `server ${backend};`);
    replace('listen 80;', `listen ${port};`);
  } else {
    replace('http://127.0.0.1:8080', `http://${backend}`);
    replace('listen 443 ssl;', `listen ${port} ssl;`);
    replace('listen 80;', `listen unix:${folder}/redirect.sock;`);
    replace('/etc/letsencrypt/live/play.example.org/', `${folder}/`);
    replace('play.example.org', 'localhost');
  }
  return text;
}

function mainConfig(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`);
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr warn;
events {}
http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }
`;
}

function makeCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', ...kind, '-subj', '/CN=localhost', ...files], { stdio: 'ignore' });
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

async function waitForPort(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nginx did not start');
}
