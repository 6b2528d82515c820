import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suggest } from "../../lib/strings/suggest.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { type ApiClient, connectApi } from "../api-client.ts";
import { credentialsOf, type ParsedArguments, parseCommand, serverOptions } from "../arguments.ts";
import type { Section } from "../site/section.types.ts";
import { sections } from "../site/sections.ts";
import type { Fields } from "../site/site.types.ts";
import { canUseSection, ensureSiteAccess } from "../site/site-access.ts";
import { siteArguments } from "../site/site-arguments.ts";
import { writeSite } from "../site/site-file.ts";
import { readSnapshot } from "../site/snapshot.ts";
import { passphraseOf, placeOptions, targetOf } from "./backup.ts";
import { warnOfDamage } from "./restore.ts";

const byName = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : Number(a.key > b.key));

/**
 * Returns the content of a site file: sections in the order of creation, objects by name.
 * @throws StartupError if several objects share a name that the file needs
 */
async function exportSite(api: ApiClient, isWanted: (section: Section) => boolean): Promise<Fields> {
  const { objects, ambiguous } = await readSnapshot(api, isWanted);
  const duplicates = [...objects].flatMap(([section, named]) =>
    [...named].filter(([, same]) => same.length > 1).map(([key]) => `${section} "${key}"`),
  );
  const names = [...new Set([...duplicates, ...ambiguous])];
  if (names.length > 0)
    throw new StartupError(
      `A site file names objects by their names. Several objects have the same name; rename them: ${names.join(", ")}.`,
    );
  const content: Record<string, unknown> = {};
  for (const { name, key } of sections) {
    const all = [...(objects.get(name)?.values() ?? [])]
      .flat()
      .filter(({ isExported }) => isExported)
      .sort(byName);
    if (key !== undefined && all.length > 0) content[name] = all.map(({ fields }) => fields);
    const settings = key === undefined ? all[0]?.fields : undefined;
    if (settings !== undefined && Object.keys(settings).length > 0) content[name] = settings;
  }
  return content;
}

const names = sections.map(({ name }) => name);

function namesOf(option: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const listed = text.split(",").map((name) => name.trim());
  for (const name of listed)
    if (!names.includes(name)) {
      const near = suggest(name, names);
      const hint = near === undefined ? `Sections: ${names.join(", ")}.` : `Did you mean "${near}"?`;
      throw new StartupError(`--${option}: "${name}" is not a section of a site file. ${hint}`);
    }
  return listed;
}

/** Parses `--only` and `--without`. @throws StartupError for an unknown section */
function selectSections(
  values: Readonly<Record<string, string | undefined>>,
): (section: Pick<Section, "name">) => boolean {
  const only = namesOf("only", values.only);
  const without = namesOf("without", values.without);
  return ({ name }) => (only.length === 0 || only.includes(name)) && !without.includes(name);
}

const { endpoint, region, "passphrase-file": passphraseFile } = placeOptions;

const backupOptions = {
  "from-backup": {
    type: "string",
    help: "read a backup instead of a running gateway: folder, archive file, or s3://bucket/prefix",
  },
  backup: { type: "string", help: "ID of the backup (default: the newest)" },
  tenant: { type: "string", help: "name or ID of the tenant in the backup, if there are several" },
  "passphrase-file": passphraseFile,
  endpoint,
  region,
} as const;

const options = {
  ...serverOptions,
  to: { type: "string", help: "file or folder to write (default: the terminal)" },
  only: { type: "string", help: "sections to export, separated by commas" },
  without: { type: "string", help: "sections to leave out, separated by commas" },
  ...backupOptions,
} as const;

const USAGE = `lineside export site [--from-backup <place>]

Write the setup of the gateway as YAML: profiles with alarm rules, codecs, devices, dashboards, pipelines, generators, integrations, jobs,
users, API keys, notifications, branding, mail server and backups. Objects refer to each other by name. Secrets, passwords and tokens are never written. If --to is
a folder or ends with /, each section gets its own file. "lineside apply site" applies what this command writes.

With --from-backup, the setup of one tenant is read from a backup. No gateway is needed, and a running one is not touched. The configuration is
restored into a private temporary folder (TMPDIR), which is removed again. Nothing is started, and nothing is sent.`;

function write(target: string, content: Fields): string[] {
  const isFolder = target.endsWith("/") || (existsSync(target) && statSync(target).isDirectory());
  const files = isFolder
    ? Object.entries(content).map(([name, value]) => ({
        path: join(target, `${name}.yaml`),
        content: { [name]: value },
      }))
    : [{ path: target, content }];
  if (isFolder) mkdirSync(target, { recursive: true });
  for (const file of files) writeFileSync(file.path, writeSite(file.content));
  return files.map(({ path }) => path);
}

/** Reads the selected sections. Reports those that an API key cannot read. */
async function readSite(api: ApiClient, isWanted: (section: Section) => boolean): Promise<Fields> {
  const user = await ensureSiteAccess(api);
  for (const section of sections.filter(isWanted))
    if (!canUseSection(user, section))
      console.error(
        `${section.name} is left out: API keys cannot read it. Sign in with --email and --password.`,
      );
  return exportSite(api, (section) => isWanted(section) && canUseSection(user, section));
}

/** @throws StartupError for an option of the other source of a site file */
function ensureOneSource({ values }: ParsedArguments): void {
  const isBackup = values["from-backup"] !== undefined;
  const wrong = isBackup ? Object.keys(serverOptions) : ["backup", "tenant", "passphrase-file", "endpoint"];
  for (const name of wrong)
    if (values[name] !== undefined)
      throw new StartupError(
        isBackup
          ? `--${name} is for a running gateway; leave it out with --from-backup.`
          : `--${name} is for backups; add --from-backup <place>.`,
      );
}

async function readBackup(
  { values }: ParsedArguments,
  isWanted: (section: Section) => boolean,
): Promise<Fields> {
  const { withRestoredGateway } = await import("../restored-gateway.ts"); // loaded late, because it imports the whole gateway
  const { backup: snapshot, tenant } = values;
  const job = { passphrase: passphraseOf(values), snapshot, tenant };
  return withRestoredGateway(targetOf(values["from-backup"], values), job, async (api, report) => {
    warnOfDamage(report);
    const { id, createdAt } = report.record;
    console.error(`Reading backup ${id} (${iso(createdAt)}).`);
    return readSite(api, isWanted);
  });
}

/** `lineside export site`: writes the configuration of a gateway. */
export async function exportCommand(args: readonly string[]): Promise<number> {
  const rest = siteArguments(args, USAGE, options);
  if (typeof rest === "number") return rest;
  const parsed = parseCommand(rest, options);
  const { values } = parsed;
  ensureOneSource(parsed);
  const isWanted = selectSections(values);
  const content =
    values["from-backup"] === undefined
      ? await readSite(await connectApi(credentialsOf(values)), isWanted)
      : await readBackup(parsed, isWanted);
  if (values.to === undefined) process.stdout.write(writeSite(content));
  else for (const path of write(values.to, content)) console.log(`Saved ${path}.`);
  return 0;
}
