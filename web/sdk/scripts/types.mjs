// Writes the types of the wire from the server's own documents.
// usage: node scripts/types.mjs OPENAPI.json ASYNCAPI.json FOLDER
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

const [openapi, asyncapi, folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: types.mjs OPENAPI.json ASYNCAPI.json FOLDER');

const read = async (path) => JSON.parse(await readFile(path, 'utf8'));
const head = (of) => `// Made by \`cargo xtask types\` from the server's ${of} document. Do not edit.\n\n`;

// What has a default may be left out by clients.
async function write(name, of, document) {
  const text = astToString(await openapiTS(document, { defaultNonNullable: false }));
  await writeFile(join(folder, name), head(of) + text);
}

await mkdir(folder, { recursive: true });
await write('http.ts', 'OpenAPI', await read(openapi));
// The frames are JSON Schemas as well: an OpenAPI document without operations has them.
const frames = await read(asyncapi);
await write('frames.ts', 'AsyncAPI', {
  openapi: '3.1.0',
  info: frames.info,
  paths: {},
  components: { schemas: frames.components.schemas },
});
