import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import type { ArchivedFile } from "./root-archive.ts";

/** Libraries that the executable and name resolution load. */
const LIBRARY =
  /^(?:lib|lib64)\/(?:[^/]+\/)?(?:ld-linux-[^/]+|lib(?:c|m|dl|pthread|rt|resolv|nss_dns|nss_files)\.so\.\d)$/;
const COPYRIGHT = "usr/share/doc/libc6/copyright";
/** Max. bytes of the unpacked package of the C library. */
const UNPACKED_MAX = 64 * 1024 * 1024;

function run(cwd: string, command: string, ...args: string[]): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, maxBuffer: UNPACKED_MAX });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.toString().trim()}`);
  return stdout;
}

/** Downloads the package of the C library with apt, which checks its signature. Packages of the machine itself stay as they are. */
function downloadLibrary(folder: string, architecture: string): Buffer {
  for (const path of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, "state", "status"), "");
  const settings = [
    ["APT::Architecture", architecture],
    ["APT::Architectures", architecture],
    ["APT::Sandbox::User", "root"],
    ["Acquire::Languages", "none"],
    ["Dir::State", join(folder, "state")],
    ["Dir::State::status", join(folder, "state", "status")],
    ["Dir::Cache", join(folder, "cache")],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  run(folder, "apt-get", "-qq", ...settings, "update");
  run(folder, "apt-get", "-qq", ...settings, "download", "libc6");
  const file = readdirSync(folder).find((name) => name.endsWith(".deb")) ?? "libc6";
  return run(folder, "dpkg-deb", "--fsys-tarfile", file);
}

/**
 * Returns the C library with its license, from the apt sources of this machine: an executable in a container needs no other file.
 * `architecture` is Debian's name, such as `arm64`.
 * @throws Error if apt or dpkg-deb is missing or fails, or if the package lacks the loader
 */
export async function readContainerSystem(architecture: string): Promise<ArchivedFile[]> {
  const folder = mkdtempSync(join(tmpdir(), "lineside-libc-"));
  try {
    const files: ArchivedFile[] = [];
    for (const { header, data } of await unpackTar(downloadLibrary(folder, architecture))) {
      const name = header.name.replace(/^\.\//, "");
      const path = name === COPYRIGHT ? name : name.replace(/^usr\//, "");
      if (path !== COPYRIGHT && !LIBRARY.test(path)) continue;
      const linkTo = header.type === "symlink" ? header.linkname : undefined;
      files.push({ path: `/${path}`, mode: header.mode ?? 0o644, content: data, linkTo });
    }
    if (!files.some(({ path }) => path.includes("/ld-linux-")))
      throw new Error("The package libc6 has no loader.");
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
