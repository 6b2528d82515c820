import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { LICENSES_ASSET } from "../../platform/process/assets.ts";
import { type BundledPackage, listBundledPackages, listLicenseFiles } from "./bundled-packages.ts";

/*
 * Text that `lineside licenses` prints and that each release contains: the licenses of Lineside and of everything inside it.
 */

const root = join(import.meta.dir, "..", "..", "..");
const RULE = "=".repeat(80);

const read = async (file: string) =>
  (await readFile(join(root, file), "utf8")).replaceAll("\r\n", "\n").trim();

const section = (title: string, text: string): string => `${RULE}\n${title}\n${RULE}\n\n${text}\n`;

/** Texts for packages that name a license without containing it. Each is checked against the license expression of the package. */
const standardTexts: Readonly<Record<string, string>> = {
  "Apache-2.0": "static/license-texts/Apache-2.0.txt",
  "BSD-3-Clause": "static/license-texts/BSD-3-Clause.txt",
  MIT: "static/license-texts/MIT.txt",
};

async function standardText(item: BundledPackage): Promise<string> {
  const texts = item.license
    .replace(/[()]/g, "")
    .split(" AND ")
    .map((id) => {
      const file = standardTexts[id];
      if (file === undefined)
        throw new Error(`${item.name} has no license text, and ${id} has no standard text`);
      return read(file);
    });
  const { author, repository } = JSON.parse(await read(`${item.path}/package.json`));
  const holder = typeof author === "object" ? author.name : (author ?? `The authors of ${item.name}`);
  const source = typeof repository === "object" ? repository.url : repository;
  return [`Copyright: ${holder} (${source})`, ...(await Promise.all(texts))].join("\n\n");
}

/** Returns the license text of Bun, from its documentation, because its package has none: its license and those of its libraries. */
async function runtimeText(): Promise<string> {
  const page = (await read("node_modules/bun-types/docs/project/license.mdx")).replace(
    /^---\n[\s\S]*?\n---\n/,
    "",
  );
  const narrow = page.replace(/ {2,}\|/g, " |").replace(/-{4,}/g, "---");
  return [
    narrow.trim(),
    await read("static/license-texts/LGPL-2.1.txt"),
    await read(standardTexts["Apache-2.0"] ?? ""),
  ].join(`\n\n${"-".repeat(80)}\n\n`);
}

async function licenseText(item: BundledPackage): Promise<string> {
  if (item.name === "bun") return runtimeText();
  const files = listLicenseFiles(item.path);
  if (files.length === 0) return standardText(item);
  return (await Promise.all(files.map((file) => read(`${item.path}/${file}`)))).join("\n\n");
}

/** Renders the license of Lineside, a list of the packages, and the full text for each of them. */
export async function renderLicenses(packages: readonly BundledPackage[]): Promise<string> {
  const title = ({ name, version, license }: BundledPackage) =>
    `${name} ${version} (${license.replace(/^\((.*)\)$/, "$1")})`;
  const passwords = await read("static/passwords/README.md");
  const sections = await Promise.all(
    packages.map(async (item) => section(title(item), await licenseText(item))),
  );
  return [
    section("Lineside (MIT)", await read("LICENSE")),
    `Lineside contains the following packages.\n\n${packages.map((item) => `  ${title(item)}\n`).join("")}`,
    ...sections,
    section("List of common passwords (MIT)", passwords.slice(passwords.indexOf("The list is"))),
  ].join("\n");
}

/** Writes the text as an embedded asset. */
export async function buildLicenses(): Promise<void> {
  const file = join(root, LICENSES_ASSET);
  await mkdir(dirname(file), { recursive: true });
  await Bun.write(file, gzipSync(await renderLicenses(await listBundledPackages()), { level: 9 }));
}
