import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describeMachine, packFiles, shownSettings } from "../../modules/system/support-bundle.ts";
import { loadConfig, processEnv } from "../../platform/config/config.ts";
import { withLocalAccess } from "../../platform/network/local-access.ts";
import { getCommit, version } from "../../version.ts";
import { describeOptions, parseCommand } from "../arguments.ts";
import { checkDatabases } from "../check-databases.ts";
import { runningGateway } from "../gateway-url.ts";
import { dataOptions, describeSize, existingDataPathOf, settingFlagsOf } from "./backup.ts";

const options = {
  ...dataOptions,
  to: { type: "string", help: "file to write (default: lineside-support.tar.gz)" },
} as const;

const USAGE = `lineside support-bundle

Write one file for support: version, machine, settings without secrets, problems, metrics, the newest lines of the log, slow
operations and the state of the files. It holds no secrets and no telemetry. Its log names devices, users and addresses, so read it before you send it.
If the gateway does not answer, the file has what is available without it, and the newest lines of the system's journal.`;

const FILE = "lineside-support.tar.gz";
const TIMEOUT_MS = 30_000;
const JOURNAL_LINES = "2000";

/** Returns the bundle of the gateway that runs on the data directory; undefined without a response. */
async function askGateway(dataPath: string): Promise<Blob | undefined> {
  const gateway = runningGateway(dataPath);
  if (gateway === undefined) return undefined;
  return withLocalAccess(dataPath, async (token) => {
    try {
      const response = await fetch(`${gateway.url}/api/gateway/support-bundle/local`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(gateway.tls && { tls: gateway.tls }),
      });
      return response.ok ? await response.blob() : undefined;
    } catch {
      return undefined; // after a crash, the address of the previous run is still there
    }
  });
}

/** Returns the newest log lines of the service, if there is a journal. */
function readJournal(): string {
  const command = ["journalctl", "--unit", "lineside", "--lines", JOURNAL_LINES, "--no-pager"];
  try {
    const { stdout, stderr } = Bun.spawnSync(command, { stdout: "pipe", stderr: "pipe" });
    return `${stdout}${stderr}`;
  } catch {
    return "There is no journal on this system.\n";
  }
}

function collectWithoutGateway(dataPath: string, flags: readonly string[]): Promise<Blob> {
  const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return packFiles({
    "gateway.json": toJson({ ...describeMachine({ version, commit: getCommit() }), isRunning: false }),
    "settings.json": toJson(shownSettings(loadConfig(flags, processEnv()))),
    "files.json": toJson(checkDatabases(dataPath)),
    "journal.txt": readJournal(),
  });
}

/** `lineside support-bundle`: saves diagnostics of a running or stopped gateway. */
export async function supportBundleCommand(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(describeOptions(USAGE, options));
    return 0;
  }
  const { values } = parseCommand(args, options);
  const dataPath = existingDataPathOf(values);
  const asked = await askGateway(dataPath);
  const bundle = asked ?? (await collectWithoutGateway(dataPath, settingFlagsOf(values)));
  const file = resolve(values.to ?? FILE);
  writeFileSync(file, await bundle.bytes(), { mode: 0o600 });
  const source =
    asked === undefined ? "The gateway does not answer; saved what is known without it" : "Saved";
  console.log(`${source}: ${file} (${describeSize(bundle.size)}).`);
  return 0;
}
