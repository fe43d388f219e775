import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { gzipAsync } from '@gfx/zopfli';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(html|js|css|svg|json|webmanifest|wasm|txt)$/;
/** Smaller files do not benefit from compression. */
const MIN_BYTES = 512;
/** Zopfli writes gzip that every browser reads, 4 % smaller than zlib does. Larger files, which few visitors load, take it long. */
const MAX_ZOPFLI_BYTES = 400_000;

/** Writes compressed copies of the built files, so that the server does not have to compress them. */
export function compressFiles(): Plugin {
  let folder = '';
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved: (config) => void (folder = join(config.root, config.build.outDir)),
    async closeBundle() {
      const names = await readdir(folder, { recursive: true });
      await Promise.all(names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(join(folder, name))));
    },
  };
}

async function compress(path: string): Promise<void> {
  if (!(await stat(path)).isFile()) return;
  const bytes = await readFile(path);
  if (bytes.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${path}.br`, brotliCompressSync(bytes, { params }));
  const isSmall = bytes.length <= MAX_ZOPFLI_BYTES;
  await writeFile(`${path}.gz`, isSmall ? await gzipAsync(bytes, {}) : gzipSync(bytes, { level: 9 }));
}
