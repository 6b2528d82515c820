import { type CommandOption, describeOptions } from "../arguments.ts";

/** Returns the arguments after `site`. Without it, and on request, prints the help and returns the exit code. */
export function siteArguments(
  args: readonly string[],
  usage: string,
  options: Record<string, CommandOption>,
): readonly string[] | number {
  const [subject = "", ...rest] = args;
  const asksForHelp = rest.some((arg) => arg === "--help" || arg === "-h");
  if (subject === "site" && !asksForHelp) return rest;
  console.log(describeOptions(usage, options));
  return ["site", "--help", "-h"].includes(subject) ? 0 : 2;
}
