import { commandGroups, runCommand, summaryOf } from "../../cli/command-line.ts";

/**
 * Returns the output of `lineside NAME --help`.
 * @throws if the help fails, so that no page contains an empty block
 */
async function helpOf(name: string): Promise<string> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => lines.push(line);
  try {
    const code = await runCommand([name, "--help"]);
    if (code !== 0) throw new Error(`lineside ${name} --help exited with ${code}`);
  } finally {
    console.log = log;
  }
  return lines.join("\n");
}

async function commandPart(name: string): Promise<string> {
  const heading = `### lineside ${name}\n\n${summaryOf(name)}.\n`;
  if (name === "serve")
    return `${heading}\nWithout a command, the options are those of \`serve\`. [Configuration](configuration.md) lists every option.\n`;
  return `${heading}\n\`\`\`text\n${await helpOf(name)}\n\`\`\`\n`;
}

/** Renders docs/cli.md from the help of the program. */
export async function renderCommands(): Promise<string> {
  const groups: string[] = [];
  for (const [title, names] of Object.entries(commandGroups)) {
    const parts: string[] = [];
    for (const name of names) parts.push(await commandPart(name)); // one after the other: each replaces console.log
    groups.push(`## ${title}\n\n${parts.join("\n")}`);
  }
  return `# Commands

The executable is the gateway and its command line. Without a command it runs the gateway. \`lineside help\` lists the commands, and
\`lineside COMMAND --help\` prints the options that this page lists. In a container, run commands with \`docker exec lineside lineside COMMAND\`, and in a
checkout with \`npm run lineside -- COMMAND\`.

A command exits with 0 on success and with 1 on failure, also for wrong options. It exits with 2 if the command is unknown or lacks its arguments, and
\`apply\` exits with 2 if changes were not applied. If the gateway cannot start because of a setting, \`serve\` exits with 78; after a failure of the disk,
it exits with 74.

${groups.join("\n")}`;
}
