import { spawnSync } from "node:child_process";
import { createHash, createPublicKey, sign } from "node:crypto";
import { chmod, copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { ownSchemas } from "../../platform/database/data-schemas.ts";
import { getCommit, version, versionText } from "../../version.ts";
import { buildExecutables, readUpdateKey } from "../build/build.ts";
import { listBundledPackages } from "./bundled-packages.ts";
import { changesOf } from "./changelog.ts";
import { writeContainerImage } from "./container-image.ts";
import { readContainerSystem } from "./container-system.ts";
import { type DebianPackage, debianArchitecture, writeDebianPackage } from "./debian-package.ts";
import { renderLicenses } from "./licenses.ts";
import { createSbom } from "./sbom.ts";
import { readSigningKey, writeUpdateFile } from "./update-files.ts";

/*
 * `npm run release [-- target …]`: everything that a release publishes, in `dist/release`: executables, packages for Debian, container images, checksums, bill of materials,
 * licenses and notes; and update files, signed with the private key in the file that UPDATE_PRIVATE_KEY_FILE names. `--draft` skips the checks that the sources are committed and that the changelog has a section for the version.
 */

const root = join(import.meta.dir, "..", "..", "..");
const directory = join(root, "dist", "release");

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function git(...args: string[]): string {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) fail(`git ${args[0]} failed: a release is made from a git checkout.`);
  return stdout.trim();
}

/** Checks the version that the executable for the architecture of this machine reports. */
function checkVersion(file: string, target: string): void {
  if (target !== `${process.platform}-${process.arch}`) return;
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
  if (stdout?.trim() !== versionText()) fail(`${file} reports the version ${JSON.stringify(stdout)}`);
}

/** Writes checksums in the format of `sha256sum`, for `sha256sum --check SHA256SUMS`. With a key, adds their signature. */
async function writeChecksums(): Promise<void> {
  const names = (await readdir(directory)).sort();
  const lines = names.map(async (name) => {
    const digest = createHash("sha256")
      .update(await readFile(join(directory, name)))
      .digest("hex");
    return `${digest}  ${name}\n`;
  });
  const sums = (await Promise.all(lines)).join("");
  await Bun.write(join(directory, "SHA256SUMS"), sums);
  const key = readSigningKey();
  if (key !== undefined)
    await Bun.write(join(directory, "SHA256SUMS.sig"), sign(null, Buffer.from(sums), key));
}

/** Writes an update file for every executable, unless there is no key to sign them with. */
async function writeUpdateFiles(targets: readonly string[]): Promise<void> {
  const key = readSigningKey();
  if (key === undefined) {
    console.warn("There are no update files: UPDATE_PRIVATE_KEY_FILE names no key to sign them with.");
    return;
  }
  if (createPublicKey(key).export({ type: "spki", format: "pem" }).toString() !== readUpdateKey())
    fail("The executables check update files with the public key of another private key.");
  for (const target of targets)
    await writeUpdateFile(
      join(directory, `lineside-${target}`),
      join(directory, `lineside-${version}-${target}.update`),
      { version, commit: getCommit(), target, schemas: ownSchemas(), key },
    );
}

async function writeDebianPackages(
  targets: readonly string[],
  about: Pick<DebianPackage, "licenses" | "changes" | "madeAt">,
): Promise<void> {
  const unit = await readFile(join(root, "docs", "lineside.service"), "utf8");
  for (const target of targets.filter(debianArchitecture)) {
    const executable = await readFile(join(directory, `lineside-${target}`));
    await writeDebianPackage(directory, { version, target, executable, unit, ...about });
  }
}

/** Writes images of the executables for Debian. A draft goes without if this machine cannot download the C library that they need. */
async function writeContainerImages(
  targets: readonly string[],
  madeAt: Date,
  isDraft: boolean,
): Promise<void> {
  const dockerfile = await readFile(join(root, "Dockerfile"), "utf8");
  for (const target of targets) {
    const architecture = debianArchitecture(target);
    if (architecture === undefined) continue;
    try {
      const system = await readContainerSystem(architecture);
      const executable = await readFile(join(directory, `lineside-${target}`));
      const about = { version, target, commit: getCommit(), executable, system, dockerfile, madeAt };
      await writeContainerImage(directory, about);
    } catch (error) {
      const problem = `There is no container image for ${target}: ${(error as Error).message}`;
      if (!isDraft) fail(problem);
      console.warn(problem);
    }
  }
}

async function release(names: readonly string[], isDraft: boolean): Promise<void> {
  if (!isDraft && git("status", "--porcelain") !== "") fail("There are changes that are not committed.");
  const notes = changesOf(
    await readFile(join(root, "CHANGELOG.md"), "utf8"),
    isDraft ? "Unreleased" : version,
  );
  if (notes === undefined) fail(`CHANGELOG.md has no section for ${version}.`);

  const built = await buildExecutables(names);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const target of built) {
    const file = join(directory, `lineside-${target}`);
    await copyFile(join(root, "dist", `lineside-${target}`), file);
    await chmod(file, 0o755);
    checkVersion(file, target);
  }
  await writeUpdateFiles(built);
  const packages = await listBundledPackages();
  const madeAt = new Date(git("log", "-1", "--format=%cI"));
  const sbom = createSbom({ version, commit: getCommit(), timestamp: madeAt.toISOString() }, packages);
  await Bun.write(join(directory, `lineside-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
  const licenses = await renderLicenses(packages);
  await Bun.write(join(directory, "THIRD-PARTY-LICENSES.txt"), licenses);
  await writeDebianPackages(built, { licenses, changes: notes, madeAt });
  await writeContainerImages(built, madeAt, isDraft);
  await Bun.write(join(directory, "RELEASE-NOTES.md"), notes);
  await writeChecksums();
  console.log(`${versionText()} is in ${relative(root, directory)}:`);
  for (const name of (await readdir(directory)).sort()) console.log(`  ${name}`);
}

const args = process.argv.slice(2);
await release(
  args.filter((arg) => arg !== "--draft"),
  args.includes("--draft"),
);
