import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";
import { debianArchitecture } from "./debian-package.ts";
import { type ArchivedFile, packRootArchive } from "./root-archive.ts";

/*
 * Images for Docker, Podman and containerd, created without these programs: a tar of an OCI image layout
 * (https://github.com/opencontainers/image-spec, version 1.1), with the `manifest.json` that Docker before version 25 loads. Base image and entry
 * point are read from the Dockerfile.
 */

/** Debian's group of serial ports, which `--group-add dialout` names. */
const DIALOUT = 20;
const NANOSECONDS: Readonly<Record<string, number>> = { ms: 1e6, s: 1e9, m: 60e9 };

export interface ContainerImage {
  readonly version: string;
  readonly target: string;
  readonly commit: string;
  readonly executable: Uint8Array;
  /** What the executable needs around it. */
  readonly system: readonly ArchivedFile[];
  /** Text of the Dockerfile. */
  readonly dockerfile: string;
  readonly madeAt: Date;
}

/** Returns the file name of an image: `lineside-0.2.0-linux-arm64.oci.tar`. */
export const imageFileName = ({ version, target }: Pick<ContainerImage, "version" | "target">): string =>
  `lineside-${version}-${target}.oci.tar`;

/** Returns the instructions of the last stage, in their order, each on one line. */
function readInstructions(dockerfile: string): Array<readonly [name: string, value: string]> {
  const lines = dockerfile.replaceAll(/\\\n\s*/g, "").split("\n");
  const stage = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")) + 1);
  return stage.flatMap((line) => {
    const [, name, value] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
}

/** Returns the path to which the executable is copied. */
function executablePath(instructions: ReturnType<typeof readInstructions>): string {
  const [, path] =
    instructions
      .map(([name, text]) => `${name} ${text}`)
      .join("\n")
      .match(/^COPY .* (\S+)$/m) ?? [];
  if (path === undefined) throw new Error("The Dockerfile copies no executable.");
  return path;
}

function readDuration(text: string): number {
  const [, count, unit = ""] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  const nanoseconds = NANOSECONDS[unit];
  if (count === undefined || nanoseconds === undefined) throw new Error(`${text} is not a valid duration.`);
  return Number(count) * nanoseconds;
}

/** Returns the health check in the form of Docker's image specification 1.2: times are nanoseconds. */
function readHealthCheck(value: string) {
  const [options = "", command = "[]"] = value.split(" CMD ");
  const time = (name: string) => readDuration(new RegExp(`--${name}=(\\S+)`).exec(options)?.[1] ?? "");
  return {
    Test: ["CMD", ...JSON.parse(command)],
    Interval: time("interval"),
    Timeout: time("timeout"),
    StartPeriod: time("start-period"),
  };
}

/** Returns the `config` of an image from a Dockerfile. @throws Error if an instruction is missing or has another form */
export function readImageConfig(dockerfile: string) {
  const instructions = readInstructions(dockerfile);
  const value = (name: string): string => {
    const found = instructions.find((instruction) => instruction[0] === name)?.[1];
    if (found === undefined) throw new Error(`The Dockerfile has no ${name}.`);
    return found;
  };
  const keys = (text: string) => Object.fromEntries(text.split(" ").map((key) => [key, {}]));
  return {
    User: value("USER"),
    ExposedPorts: keys(value("EXPOSE").replaceAll(/\d+/g, "$&/tcp")),
    Env: [`PATH=${dirname(executablePath(instructions))}`, value("ENV")],
    Entrypoint: JSON.parse(value("ENTRYPOINT")) as string[],
    Volumes: keys(value("VOLUME")),
    WorkingDir: value("WORKDIR"),
    Healthcheck: readHealthCheck(value("HEALTHCHECK")),
  };
}

/** Returns the files of the program and what belongs to its user. */
function programFiles(
  { executable, dockerfile }: ContainerImage,
  { User, WorkingDir }: ReturnType<typeof readImageConfig>,
) {
  const owner = Number(User.split(":")[0]);
  return [
    { path: executablePath(readInstructions(dockerfile)), content: executable, mode: 0o755 },
    { path: `${WorkingDir}/`, mode: 0o755, owner },
    { path: "/tmp/", mode: 0o1777 },
    {
      path: "/etc/passwd",
      content: `root:x:0:0::/root:/bin/false\nlineside:x:${owner}:${owner}::${WorkingDir}:/bin/false\n`,
      mode: 0o644,
    },
    { path: "/etc/group", content: `root:x:0:\ndialout:x:${DIALOUT}:\nlineside:x:${owner}:\n`, mode: 0o644 },
    { path: "/etc/nsswitch.conf", content: "hosts: files dns\n", mode: 0o644 },
  ];
}

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const digestOf = (content: Uint8Array | string): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

/** The parts of an image layout, each by its digest. */
class Layout {
  readonly #mtime: Date;
  readonly #entries: TarEntry[] = [];

  constructor(mtime: Date) {
    this.#mtime = mtime;
  }

  addFile(name: string, content: string | Uint8Array): void {
    const size = Buffer.byteLength(content);
    this.#entries.push({ header: { name, size, mode: 0o644, mtime: this.#mtime }, body: content });
  }

  addBlob(kind: string, content: string | Uint8Array): Blob {
    const digest = digestOf(content);
    this.addFile(blobPath(digest), content);
    const size = Buffer.byteLength(content);
    return { mediaType: `application/vnd.oci.image.${kind}`, digest, size };
  }

  pack(): Promise<Uint8Array> {
    return packTar(this.#entries);
  }
}

const blobPath = (digest: string): string => `blobs/${digest.replace(":", "/")}`;

/** Writes the image of an executable into a folder, and returns the file's name. */
export async function writeContainerImage(folder: string, image: ContainerImage): Promise<string> {
  const { version, target, commit, system, madeAt } = image;
  const config = readImageConfig(image.dockerfile);
  const layers = [
    await packRootArchive(system, madeAt),
    await packRootArchive(programFiles(image, config), madeAt),
  ];
  const labels = {
    "org.opencontainers.image.title": "lineside",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": commit,
  };
  const layout = new Layout(madeAt);
  const created = madeAt.toISOString();
  const imageConfig = layout.addBlob(
    "config.v1+json",
    JSON.stringify({
      created,
      architecture: debianArchitecture(target),
      os: "linux",
      config: { ...config, Labels: labels },
      rootfs: { type: "layers", diff_ids: layers.map((layer) => digestOf(gunzipSync(layer))) },
      history: layers.map(() => ({ created, created_by: "npm run release" })),
    }),
  );
  const layerBlobs = layers.map((layer) => layout.addBlob("layer.v1.tar+gzip", layer));
  const manifest = layout.addBlob(
    "manifest.v1+json",
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: imageConfig,
      layers: layerBlobs,
    }),
  );
  const tag = `lineside:${version}`;
  const annotations = { "io.containerd.image.name": tag, "org.opencontainers.image.ref.name": tag };
  const platform = { architecture: debianArchitecture(target), os: "linux" };
  layout.addFile("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  layout.addFile(
    "index.json",
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.index.v1+json",
      manifests: [{ ...manifest, platform, annotations }],
    }),
  );
  layout.addFile(
    "manifest.json",
    JSON.stringify([
      {
        Config: blobPath(imageConfig.digest),
        RepoTags: [tag],
        Layers: layerBlobs.map(({ digest }) => blobPath(digest)),
      },
    ]),
  );
  const name = imageFileName(image);
  await writeFile(join(folder, name), await layout.pack());
  return name;
}
