// A client of the language server, built on the library that Visual Studio Code uses.
'use strict';

const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} = require('vscode-languageserver-protocol/node');

class Client {
  /** Starts the server for a folder. */
  static async start(program, folder) {
    const client = new Client(program, folder);
    const capabilities = { textDocument: { completion: {}, hover: {}, rename: { prepareSupport: true } } };
    const root = pathToFileURL(folder).href;
    client.server = await client.connection.sendRequest('initialize', { processId: process.pid, rootUri: root, capabilities });
    await client.connection.sendNotification('initialized', {});
    return client;
  }

  constructor(program, folder) {
    this.folder = folder;
    this.process = spawn(program, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.process.stdout),
      new StreamMessageWriter(this.process.stdin),
    );
    this.diagnostics = new Map();
    this.waiting = [];
    this.texts = new Map();
    this.versions = new Map();
    this.connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => {
      this.diagnostics.set(uri, diagnostics);
      this.waiting = this.waiting.filter((waiting) => !waiting(uri, diagnostics));
    });
    this.connection.listen();
  }

  uri(file) {
    return pathToFileURL(join(this.folder, file)).href;
  }

  /** Opens a file with its text on disk, or with another. Resolves to its next diagnostics. */
  open(file, text = readFileSync(join(this.folder, file), 'utf8')) {
    const uri = this.uri(file);
    const found = this.next(file);
    if (this.texts.has(file)) {
      const version = this.versions.get(file) + 1;
      this.versions.set(file, version);
      void this.connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      });
    } else {
      this.versions.set(file, 1);
      void this.connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'yaml', version: 1, text },
      });
    }
    this.texts.set(file, text);
    return found;
  }

  /** Resolves to the next diagnostics of a file. */
  next(file, isMeant = () => true) {
    const wanted = this.uri(file);
    return new Promise((resolve) => {
      this.waiting.push((uri, diagnostics) => {
        if (uri !== wanted || !isMeant(diagnostics)) return false;
        resolve(diagnostics);
        return true;
      });
    });
  }

  ask(method, params) {
    return this.connection.sendRequest(method, params);
  }

  /** Asks about the nth place of a text in an open file. */
  at(method, file, wanted, { offset = 0, nth = 0, ...rest } = {}) {
    const text = this.texts.get(file);
    let found = -1;
    for (let count = 0; count <= nth; count += 1) found = text.indexOf(wanted, found + 1);
    if (found < 0) throw new Error(`\`${wanted}\` is not in ${file}`);
    return this.ask(method, { textDocument: { uri: this.uri(file) }, position: positionAt(text, found + offset), ...rest });
  }

  /** Resolves to the labels offered at the `|` of a text, which replaces that of the file for the moment. */
  async labels(file, marked) {
    const before = this.texts.get(file);
    const at = marked.indexOf('|');
    const text = marked.slice(0, at) + marked.slice(at + 1);
    await this.open(file, text);
    const position = positionAt(text, at);
    const found = await this.ask('textDocument/completion', { textDocument: { uri: this.uri(file) }, position });
    await this.open(file, before);
    return found.items.map(({ label }) => label);
  }

  async stop() {
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    this.connection.dispose();
    this.process.stdin.end();
  }
}

function positionAt(text, offset) {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length - 1, character: offset - (before.lastIndexOf('\n') + 1) };
}

module.exports = { Client };
