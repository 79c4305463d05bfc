// Starts `roofscan lsp`, and offers its machines.
"use strict";

const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

// Not of the older text beside a difference.
const SCHEMES = ["file", "untitled", "vscode-notebook-cell"];

let client;

/** The command that starts the server; a relative path is one of the first folder. */
function server() {
  const [program, ...args] = vscode.workspace.getConfiguration("roofscan").get("command");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const command = folder && /[\\/]/.test(program) ? path.resolve(folder, program) : program;
  return { command, args, options: { cwd: folder }, transport: TransportKind.stdio };
}

async function start() {
  client = new LanguageClient("roofscan", "roofscan", server(), {
    documentSelector: SCHEMES.map((scheme) => ({ scheme, language: "python" })),
    synchronize: { configurationSection: "roofscan" },
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `roofscan: the server does not start (${error.message}); pip install 'roofscan[lsp]', or set roofscan.command`
    );
  }
}

async function restart() {
  await client?.stop().catch(() => undefined);
  await start();
}

async function selectMachine() {
  const names = await client.sendRequest("workspace/executeCommand", { command: "roofscan.machines", arguments: [] });
  const name = await vscode.window.showQuickPick(names, { placeHolder: "The target machine" });
  if (name) {
    await client.sendRequest("workspace/executeCommand", { command: "roofscan.chooseMachine", arguments: [name] });
  }
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("roofscan.restart", restart),
    vscode.commands.registerCommand("roofscan.selectMachine", selectMachine),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("roofscan.command")) {
        restart();
      }
    })
  );
  await start();
};

exports.deactivate = () => client?.stop();
