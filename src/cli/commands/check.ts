import { describeOptions, parseCommand } from "../arguments.ts";
import { checkDatabases, NOT_CHECKED } from "../check-databases.ts";
import { printTable } from "../user-store.ts";
import { dataOptions, describeSize, existingDataPathOf } from "./backup.ts";

const options = {
  ...dataOptions,
  json: { type: "boolean", help: "print JSON" },
} as const;

const USAGE = `lineside check

Read every database of the data directory, each block of telemetry included, and name what is damaged. Nothing is changed.
Works while the gateway is running, or without one. Exit code 0 if everything is intact, 1 if something is damaged.`;

function resultOf(problems: readonly string[]): string {
  if (problems.includes(NOT_CHECKED)) return "not checked";
  return problems.length === 0 ? "intact" : `${problems.length} damaged`;
}

/** `lineside check`: verifies the files of a gateway. */
export async function checkCommand(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(describeOptions(USAGE, options));
    return 0;
  }
  const { values, flags } = parseCommand(args, options);
  const reports = checkDatabases(existingDataPathOf(values));
  const isWhole = reports.every(({ problems }) => problems.length === 0);
  if (flags.has("json")) console.log(JSON.stringify(reports, null, 2));
  else {
    printTable(
      ["FILE", "SIZE", "RESULT"],
      reports.map(({ name, bytes, problems }) => [name, describeSize(bytes), resultOf(problems)]),
    );
    for (const { name, problems } of reports)
      for (const problem of problems) console.log(`${name}: ${problem}`);
    if (!isWhole)
      console.error(
        reports.some(({ problems }) => problems.includes(NOT_CHECKED))
          ? "Free some space, or check the owner and the permissions. Then check again."
          : "Restore the newest good backup, or keep the files: what is not damaged is still served.",
      );
  }
  return isWhole ? 0 : 1;
}
