import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "../platform/startup-error.ts";
import { connectApi } from "./api-client.ts";
import { credentialsOf, describeOptions, parseCommand, serverOptions } from "./arguments.ts";
import { exportSite } from "./site/export.ts";
import { sections } from "./site/sections.ts";
import { selectSections } from "./site/select-sections.ts";
import type { Fields } from "./site/site.types.ts";
import { canUseSection, ensureSiteAccess } from "./site/site-access.ts";
import { writeSite } from "./site/site-file.ts";

const options = {
  ...serverOptions,
  to: { type: "string", help: "file or folder to write (default: the terminal)" },
  only: { type: "string", help: "sections to export, separated by commas" },
  without: { type: "string", help: "sections to leave out, separated by commas" },
} as const;

const usage = `lineside export site

Writes the set-up of the gateway as YAML: profiles with alarm rules, codecs, devices, dashboards, pipelines, generators, integrations, jobs,
users, API keys, notifications, branding, mail server and backups. Objects refer to each other by name. Secrets, passwords and tokens are never written. If --to is a folder or ends with /, each
section gets its own file. "lineside apply site" applies what this command writes.`;

function write(target: string, content: Fields): string[] {
  const isFolder = target.endsWith("/") || (existsSync(target) && statSync(target).isDirectory());
  const files = isFolder
    ? Object.entries(content).map(([name, value]) => ({
        path: join(target, `${name}.yaml`),
        content: { [name]: value },
      }))
    : [{ path: target, content }];
  try {
    if (isFolder) mkdirSync(target, { recursive: true });
    for (const file of files) writeFileSync(file.path, writeSite(file.content));
  } catch (cause) {
    throw new StartupError(`${target} cannot be written: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  return files.map(({ path }) => path);
}

/** `lineside export site`: writes how a gateway is set up. */
export async function exportCommand(args: readonly string[]): Promise<number> {
  const [subject, ...rest] = args;
  if (subject !== "site" || rest.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(describeOptions(usage, options));
    return ["site", "--help", "-h"].includes(subject ?? "") ? 0 : 2;
  }
  const { values } = parseCommand(rest, options);
  const isWanted = selectSections(values);
  const api = await connectApi(credentialsOf(values));
  const user = await ensureSiteAccess(api);
  for (const section of sections.filter(isWanted))
    if (!canUseSection(user, section))
      console.error(
        `${section.name} is left out: API keys cannot read it. Sign in with --email and --password.`,
      );
  const content = await exportSite(api, (section) => isWanted(section) && canUseSection(user, section));
  if (values.to === undefined) process.stdout.write(writeSite(content));
  else for (const path of write(values.to, content)) console.log(`Saved ${path}.`);
  return 0;
}
