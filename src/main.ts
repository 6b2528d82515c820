import { runCommand } from "./cli/command-line.ts";

process.exitCode = await runCommand(process.argv.slice(2));
