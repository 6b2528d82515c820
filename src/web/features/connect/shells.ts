/** Command lines as the shells of POSIX systems, Windows' cmd and PowerShell take them. */

export type ShellId = "posix" | "cmd" | "powershell";
export const SHELL_IDS: readonly ShellId[] = ["posix", "cmd", "powershell"];

/** Arguments that stand on one line. */
type Line = readonly string[];

export interface CommandLine {
  readonly program: string;
  readonly lines: readonly Line[];
  /** Option that takes `text`, and the one that reads it from standard input. */
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
 * Writes a command for a shell. Versions of PowerShell differ in what they make of quotation marks in an argument, so there the text comes
 * from standard input; `curl` alone would be another command there.
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
