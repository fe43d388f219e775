// Starts `intermezzo lsp` for the files of rulesets.
'use strict';

const { commands, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

async function start() {
  const command = workspace.getConfiguration('intermezzo').get('path', 'intermezzo');
  const documentSelector = ['yaml', 'json'].map((language) => ({ scheme: 'file', language }));
  client = new LanguageClient('intermezzo', 'Intermezzo', { command, args: ['lsp'] }, { documentSelector });
  await client.start();
}

async function activate(context) {
  const restart = async () => {
    await client?.stop();
    await start();
  };
  context.subscriptions.push(commands.registerCommand('intermezzo.restart', restart));
  await start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
