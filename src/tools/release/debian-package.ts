import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ArchivedFile, packRootArchive } from "./root-archive.ts";

/*
 * Packages for Debian and its derivatives, created without Debian's tools. Format: deb(5), an archive of ar(5) with the members debian-binary,
 * control.tar.gz and data.tar.gz.
 */

const scriptsFolder = join(import.meta.dir, "debian");
const SCRIPTS = ["preinst", "postinst", "prerm", "postrm"] as const;
const ARCHITECTURES: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };
const ENVIRONMENT = "/etc/lineside/environment";
const AR_MAGIC = "!<arch>\n";

export interface DebianPackage {
  /** Such as `0.2.0`. A pre-release, such as `0.2.0-rc.1`, sorts before it. */
  readonly version: string;
  readonly target: string;
  readonly executable: Uint8Array;
  /** Unit of the service, for an executable in /usr/local/bin. */
  readonly unit: string;
  readonly licenses: string;
  readonly changes: string;
  readonly madeAt: Date;
}

/** Returns the Debian architecture of a target; undefined for targets without Debian. */
export const debianArchitecture = (target: string): string | undefined => ARCHITECTURES[target];

/** Returns the file name of a package: `lineside_0.2.0_arm64.deb`. */
export const debianFileName = ({ version, target }: Pick<DebianPackage, "version" | "target">): string =>
  `lineside_${debianVersion(version)}_${debianArchitecture(target)}.deb`;

/** Converts a version: a hyphen would begin the revision of Debian, and a tilde sorts before the end. */
const debianVersion = (version: string): string => version.replaceAll("-", "~");

/** Returns a member of an ar archive: name (16), time (12), owner and group (6 each), octal mode (8), size (10), padded to an even length. */
function member(name: string, content: Uint8Array, madeAt: Date): Uint8Array[] {
  const seconds = String(Math.floor(madeAt.getTime() / 1000));
  const columns = [
    name.padEnd(16),
    seconds.padEnd(12),
    "0".padEnd(6),
    "0".padEnd(6),
    "100644".padEnd(8),
    String(content.length).padEnd(10),
  ];
  const padding = content.length % 2 === 0 ? "" : "\n";
  return [Buffer.from(`${columns.join("")}\`\n`), content, Buffer.from(padding)];
}

function control({ version, target, executable }: DebianPackage): string {
  return `Package: lineside
Version: ${debianVersion(version)}
Architecture: ${debianArchitecture(target)}
Maintainer: The Lineside authors <lineside@localhost>
Installed-Size: ${Math.ceil(executable.length / 1024)}
Depends: libc6 (>= 2.31)
Recommends: ca-certificates
Section: net
Priority: optional
Description: device telemetry and management for sites without a cloud
 One program with an MQTT broker, a REST API, a store for telemetry, alarms,
 pipelines, integrations and a web console.
`;
}

/** Writes the package of an executable into a folder, and returns the file's name. */
export async function writeDebianPackage(folder: string, about: DebianPackage): Promise<string> {
  const { madeAt, executable, unit, licenses, changes } = about;
  const files: ArchivedFile[] = [
    { path: "/usr/bin/lineside", content: executable, mode: 0o755 },
    { path: "/usr/lib/systemd/system/lineside.service", content: packagedUnit(unit), mode: 0o644 },
    {
      path: ENVIRONMENT,
      content: "# Settings of Lineside: one LINESIDE_… variable per line. Restart the service afterwards.\n",
      mode: 0o600,
    },
    { path: "/usr/share/doc/lineside/copyright", content: licenses, mode: 0o644 },
    { path: "/usr/share/doc/lineside/changelog.md", content: changes, mode: 0o644 },
  ];
  const sums = files
    .filter(({ path }) => path !== ENVIRONMENT)
    .map(
      ({ path, content = "" }) => `${createHash("md5").update(content).digest("hex")}  ${path.slice(1)}\n`,
    );
  const scripts = SCRIPTS.map(async (name) => ({
    path: `/${name}`,
    content: await readFile(join(scriptsFolder, name)),
    mode: 0o755,
  }));
  const controlFiles = [
    { path: "/control", content: control(about), mode: 0o644 },
    { path: "/conffiles", content: `${ENVIRONMENT}\n`, mode: 0o644 },
    { path: "/md5sums", content: sums.join(""), mode: 0o644 },
    ...(await Promise.all(scripts)),
  ];
  const controlTar = await packRootArchive(controlFiles, madeAt);
  const dataTar = await packRootArchive(files, madeAt);
  const name = debianFileName(about);
  const parts = [
    Buffer.from(AR_MAGIC),
    ...member("debian-binary", Buffer.from("2.0\n"), madeAt),
    ...member("control.tar.gz", controlTar, madeAt),
    ...member("data.tar.gz", dataTar, madeAt),
  ];
  await writeFile(join(folder, name), Buffer.concat(parts));
  return name;
}

/** Returns the unit for the executable of a package. @throws Error if it starts no executable in /usr/local/bin */
function packagedUnit(unit: string): string {
  const own = unit
    .replaceAll("/usr/local/bin/lineside", "/usr/bin/lineside")
    .replace(/^# Install:[^.]*\. /, "# ");
  if (own === unit) throw new Error("The unit starts no executable in /usr/local/bin.");
  return own;
}
