import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { nextProgram, previousProgram } from "../../modules/updates/update-state.ts";
import { isCompiled, readTextAsset, SERVICE_UNIT_ASSET } from "../../platform/process/assets.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { type CommandOption, parseCommand, printHelp } from "../arguments.ts";

const PROGRAM_PATH = "usr/local/bin/lineside";
const UNIT_PATH = "etc/systemd/system/lineside.service";
const DATA_PATH = "var/lib/lineside";
const SETTINGS_PATH = "etc/lineside";
const ROOT_USER = 0;

const options = {
  print: { type: "boolean", help: "print the unit, and install nothing" },
  replace: { type: "boolean", help: "replace a unit that differs" },
  root: { type: "string", default: "/", help: "install below this directory, as for the image of a machine" },
} as const satisfies Record<string, CommandOption>;

const USAGE = `lineside service install     Copy this executable to /${PROGRAM_PATH} and its unit to /${UNIT_PATH}, and say how to start the service
       lineside service uninstall   Stop the service and remove both; data and settings stay

Run install again after an update of the executable.`;

const NEXT_STEPS = `Start the gateway, now and at every start of the machine:

  systemctl daemon-reload
  systemctl enable --now lineside

The link to the setup page is in its log:

  journalctl -u lineside

Settings are LINESIDE_… variables in /etc/lineside/environment, one a line; the data is in /var/lib/lineside.`;

function readUnit(): string {
  const unit = readTextAsset(SERVICE_UNIT_ASSET);
  if (unit === undefined) throw new StartupError("This build of Lineside has no unit inside.");
  return unit;
}

/** Replaces a file as a whole, even a running executable. */
function replaceFile(path: string, mode: number, write: (temporary: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  write(temporary);
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

function install(root: string, canReplace: boolean): void {
  if (!isCompiled())
    throw new StartupError(
      "Only the executable can be installed; a checkout builds it with npm run build. --print prints the unit.",
    );
  if (root === "/" && process.getuid?.() !== ROOT_USER)
    throw new StartupError("Only root can install a service: run it with sudo. --print prints the unit.");
  const [program, unitFile] = [join(root, PROGRAM_PATH), join(root, UNIT_PATH)];
  const unit = readUnit();
  if (existsSync(unitFile) && readFileSync(unitFile, "utf8") !== unit && !canReplace)
    throw new StartupError(
      `${unitFile} exists and differs from the unit of this version. Move changes of your own into a drop-in (systemctl edit lineside), and add --replace.`,
    );
  if (process.execPath !== program)
    replaceFile(program, 0o755, (temporary) => copyFileSync(process.execPath, temporary));
  replaceFile(unitFile, 0o644, (temporary) => writeFileSync(temporary, unit));
  console.log(`Installed ${program} and ${unitFile}.\n\n${NEXT_STEPS}`);
}

/** Runs systemctl, if the machine has it. @throws StartupError with its error output */
function systemctl(...args: string[]): void {
  if (!existsSync("/run/systemd/system")) return;
  const { exitCode, stderr } = Bun.spawnSync(["systemctl", ...args], { stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0)
    throw new StartupError(`systemctl ${args.join(" ")} failed: ${stderr.toString().trim()}`);
}

function uninstall(root: string): void {
  const isThisMachine = root === "/";
  if (isThisMachine && process.getuid?.() !== ROOT_USER)
    throw new StartupError("Only root can uninstall the service. Run the command with sudo.");
  const [program, unitFile] = [join(root, PROGRAM_PATH), join(root, UNIT_PATH)];
  if (!existsSync(unitFile) && !existsSync(program))
    throw new StartupError(`There is no service to uninstall: ${unitFile} does not exist.`);
  if (isThisMachine && existsSync(unitFile)) systemctl("disable", "--now", "lineside");
  for (const file of [unitFile, program, previousProgram(program), nextProgram(program)])
    rmSync(file, { force: true });
  if (isThisMachine) systemctl("daemon-reload");
  console.log(
    `Removed ${program} and ${unitFile}.\n\nThe data in ${join(root, DATA_PATH)} and the settings in ${join(root, SETTINGS_PATH)} are kept. If you no longer need them, delete them by hand.`,
  );
}

/** `lineside service`: installs or removes the executable and its systemd unit. */
export async function serviceCommand(args: readonly string[]): Promise<number> {
  const helpCode = printHelp(args, USAGE, options);
  if (helpCode !== undefined) return helpCode;
  const { values, flags, positionals } = parseCommand(args, options);
  const [action] = positionals;
  const root = resolve(values.root ?? "/");
  if (positionals.length !== 1 || (action !== "install" && action !== "uninstall"))
    throw new StartupError(
      `"${positionals.join(" ")}" is not an action of lineside service. Use install or uninstall.`,
    );
  if (action === "uninstall") uninstall(root);
  else if (flags.has("print")) console.log(readUnit().trimEnd());
  else install(root, flags.has("replace"));
  return 0;
}
