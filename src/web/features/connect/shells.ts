/** Shells of command lines: POSIX, cmd of Windows, and PowerShell. */

export type ShellId = "posix" | "cmd" | "powershell";
export const SHELL_IDS: readonly ShellId[] = ["posix", "cmd", "powershell"];

/** Arguments on one line. */
type Line = readonly string[];

export interface CommandLine {
  readonly program: string;
  readonly lines: readonly Line[];
  /** Option for `text`, and the option that reads it from standard input. */
  readonly option: string;
  readonly stdinOption: string;
  readonly text: string;
}

const isPlain = (argument: string): boolean => /^[\w%+=:,./-]+$/.test(argument);

const quotes: Readonly<Record<ShellId, (argument: string) => string>> = {
  posix: (argument) => `'${argument.replaceAll("'", "'\\''")}'`,
  // The quotation marks inside are for the program, which splits the line itself.
  cmd: (argument) => `"${argument.replaceAll('"', '\\"')}"`,
  powershell: (argument) => `'${argument.replaceAll("'", "''")}'`,
};
const lineEnds: Readonly<Record<ShellId, string>> = { posix: " \\", cmd: " ^", powershell: " `" };

/**
 * Writes a command for a shell. Versions of PowerShell treat quotation marks in arguments differently, so the text comes from standard input there;
 * `curl` alone would be another command.
 */
export function commandLine(
  shell: ShellId,
  { program, lines, text, option, stdinOption }: CommandLine,
): string {
  const written = (argument: string) =>
    isPlain(argument) && !(shell === "cmd" && argument.includes("%")) ? argument : quotes[shell](argument);
  const isPiped = shell === "powershell";
  const last = isPiped ? stdinOption.split(" ") : [option, text];
  const head = isPiped ? `${quotes.powershell(text)} | ${program}.exe` : program;
  const [first = [], ...rest] = [...lines, last].map((line) => line.map(written).join(" "));
  return [`${head} ${first}`, ...rest].join(`${lineEnds[shell]}\n  `);
}
